import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { createExample } from './example-value.ts';

/** Adds an example to every successful JSON response. */
export function addExamples(paths: Record<string, JsonObject>, components: JsonObject): void {
  for (const item of Object.values(paths))
    for (const operation of Object.values(item)) {
      if (!isObject(operation) || !isObject(operation['responses'])) continue;
      for (const [status, response] of Object.entries(operation['responses'])) {
        if (!status.startsWith('2') || !isObject(response) || !isObject(response['content'])) continue;
        const media = response['content']['application/json'];
        if (!isObject(media) || !isObject(media['schema']) || media['example'] !== undefined) continue;
        if (Object.keys(media['schema']).length > 0)
          media['example'] = createExample(media['schema'], components);
      }
    }
}
