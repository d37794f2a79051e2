/*
 * In the process of a pack: reads the export of a package, which has the form of an Activepieces piece.
 */

type Callable = (...args: unknown[]) => unknown;
/** Characters of the example of an item, as JSON. */
const MAX_SAMPLE_LENGTH = 32 * 1024;

/** Members are unknown until they are read: the package is code of others. */
export type Item = Readonly<Record<string, unknown>>;
export type Piece = Item & { actions: () => Record<string, Item>; triggers: () => Record<string, Item> };

/** @throws {Error} when nothing has the form of a piece. */
export function findPiece(exported: unknown): Piece {
  const found = [exported, ...Object.values(toItem(exported))].find(isPiece);
  if (found === undefined) throw new Error('It exports no object with actions() and triggers()');
  return found;
}

function isPiece(value: unknown): value is Piece {
  const { actions, triggers } = toItem(value);
  return typeof actions === 'function' && typeof triggers === 'function';
}

export function toItem(value: unknown): Item {
  return typeof value === 'object' && value !== null ? (value as Item) : {};
}

/** The version of the context that the piece expects; null for the first one. */
export function readContextVersion(piece: Piece): unknown {
  const { getContextInfo } = piece;
  return typeof getContextInfo === 'function'
    ? (toItem((getContextInfo as Callable).call(piece))['version'] ?? null)
    : null;
}

/** Lists what the piece declares, without its functions. The service validates it. */
export function listPiece(piece: Piece): unknown {
  const { displayName, description, authors, minimumSupportedRelease } = piece;
  return {
    displayName,
    description,
    authors,
    minimumSupportedRelease,
    contextVersion: readContextVersion(piece),
    auth: listAuthentications(piece['auth']),
    readsAppRequests: readsAppRequests(piece),
    actions: Object.entries(piece.actions()).map(([name, one]) => listItem(name, one)),
    triggers: Object.entries(piece.triggers()).map(([name, one]) => listTrigger(name, one)),
  };
}

/** Whether it can verify requests of an app, and read their events. */
function readsAppRequests(piece: Piece): boolean {
  const { verify, parseAndReply } = toItem(piece['events']);
  return typeof verify === 'function' && typeof parseAndReply === 'function';
}

function listItem(name: string, item: Item): Item {
  const { displayName, description, requireAuth, audience, aiMetadata, type, props } = item;
  const { idempotent } = toItem(aiMetadata);
  return { name, displayName, description, requireAuth, audience, idempotent, type, props: listProps(props) };
}

function listTrigger(name: string, item: Item): Item {
  const { handshakeConfiguration, renewConfiguration, sampleData } = item;
  const { strategy, paramName } = toItem(handshakeConfiguration);
  const { strategy: renewal, cronExpression } = toItem(renewConfiguration);
  return {
    ...listItem(name, item),
    handshake: { strategy, paramName },
    renewal: { strategy: renewal, cronExpression },
    sample: limitSample(sampleData),
  };
}

/** A sample that is no value, or a large one, is left out. */
function limitSample(sample: unknown): unknown {
  try {
    const text = JSON.stringify(sample) as string | undefined;
    return text === undefined || text.length > MAX_SAMPLE_LENGTH ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

export function listProps(props: unknown): Item[] {
  return Object.entries(toItem(props)).map(([name, value]) => {
    const prop = toItem(value);
    const {
      type,
      displayName,
      description,
      required,
      defaultValue,
      options,
      properties,
      refreshers,
      refreshOnSearch,
    } = prop;
    return {
      name,
      type,
      displayName,
      description,
      required,
      defaultValue,
      refreshers,
      refreshOnSearch,
      options: typeof options === 'function' ? null : (toItem(options)['options'] ?? options),
      properties: properties === undefined ? null : listProps(properties),
    };
  });
}

function listAuthentications(auth: unknown): Item[] {
  if (auth === undefined || auth === null) return [];
  return (Array.isArray(auth) ? (auth as unknown[]) : [auth]).map((one) => {
    const given = toItem(one);
    const { type, displayName, description, required, authUrl, tokenUrl, scope, grantType, props } = given;
    const { extra, prompt, pkce } = given;
    return {
      type,
      displayName,
      description,
      required,
      authUrl,
      tokenUrl,
      scope,
      grantType,
      extra,
      prompt,
      pkce,
      props: listProps(props),
    };
  });
}
