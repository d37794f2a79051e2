import { createDecisionResult } from '../../contract/decisions/decision-result.ts';
import { MAX_ASSIGNEES, isEmailKey, toEmailKey } from '../../contract/decisions/decisions.ts';
import type { Role } from '../../contract/principal.ts';
import type { Orchestration, ParentNode } from '../../ports/orchestration.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { UserStore } from '../../ports/store/accounts/users.ts';
import type { DecisionMessageStore } from '../../ports/store/decisions.ts';
import type { DecisionRow, DecisionStore, NewDecision } from '../../ports/store/decisions.ts';
import type { DecisionLinks } from './decision-links.ts';

const ROLE_PREFIX = 'role:';
const USERS_PAGE_SIZE = 100;

type Assignee = NewDecision['assignees'][number];

/** The part of the access of nodes that asks people. */
export type Questions = Pick<
  Orchestration,
  'ask' | 'countNotice' | 'hasMessage' | 'recordMessage' | 'endQuestion'
>;

export function createQuestions(deps: {
  decisions: Pick<DecisionStore, 'request' | 'countNotice' | 'expire'>;
  messages: Pick<DecisionMessageStore, 'add' | 'count'>;
  users: Pick<UserStore, 'userById' | 'userByEmail' | 'listUsers'>;
  links: DecisionLinks;
  /** The public base URL, ending with /v1. */
  baseUrl(): string;
  /** Called when a decision was requested or has ended, after that is on disk. */
  changed(decision: DecisionRow): void;
  ids: Ids;
  clock: Pick<Clock, 'now'>;
}): Questions {
  const { users } = deps;

  async function listByRole(role: string): Promise<Assignee[]> {
    const found: Assignee[] = [];
    for (let offset = 0; found.length <= MAX_ASSIGNEES; offset += USERS_PAGE_SIZE) {
      const { rows } = await users.listUsers(offset, USERS_PAGE_SIZE);
      for (const user of rows)
        if (user.role === (role as Role)) found.push({ assignee: user.id, email: user.email, role });
      if (rows.length < USERS_PAGE_SIZE) break;
    }
    return found;
  }

  /** A person who is named twice is asked once, by address rather than by role. */
  async function findAssignees(ownerId: string, named: readonly string[]): Promise<Assignee[]> {
    const found = new Map<string, Assignee>();
    const add = (person: Assignee): void => {
      if (person.role === null || !found.has(person.assignee)) found.set(person.assignee, person);
    };
    if (named.length === 0) {
      const owner = await users.userById(ownerId);
      if (owner !== null) add({ assignee: owner.id, email: owner.email, role: null });
    }
    for (const name of named) {
      if (name.startsWith(ROLE_PREFIX)) {
        for (const person of await listByRole(name.slice(ROLE_PREFIX.length))) add(person);
        continue;
      }
      const user = await users.userByEmail(name);
      add(
        user === null
          ? { assignee: toEmailKey(name), email: name, role: null }
          : { assignee: user.id, email: user.email, role: null },
      );
    }
    return [...found.values()];
  }

  function toRequired(question: { policy: string; required: number }, people: number): number {
    if (question.policy === 'anyone') return 1;
    return question.policy === 'everyone' ? people : question.required;
  }

  return {
    async ask({ ownerId, executionId, workflowId, nodeId, path }: ParentNode, question) {
      const assignees = await findAssignees(ownerId, question.assignees);
      const required = toRequired(question, assignees.length);
      if (assignees.length === 0)
        return { kind: 'refused', field: 'assignees', issue: 'names a role that no user has' };
      if (assignees.length > MAX_ASSIGNEES)
        return { kind: 'refused', field: 'assignees', issue: `must name at most ${MAX_ASSIGNEES} people` };
      if (required > assignees.length) {
        const issue = `must be at most the number of people who are asked, ${assignees.length}`;
        return { kind: 'refused', field: 'required', issue };
      }
      const id = deps.ids.next('decision');
      const decision = await deps.decisions.request({
        id,
        ownerId,
        executionId,
        workflowId,
        nodeId,
        path,
        title: question.title,
        question: {
          message: question.message,
          attachments: question.attachments,
          fields: question.fields,
          ...(question.form !== undefined && { form: question.form }),
          choices: question.choices,
          policy: question.policy,
          required,
        },
        createdAt: deps.clock.now(),
        deadlineAt: question.deadline,
        assignees,
      });
      // The execution has ended meanwhile, so the result of this attempt has no effect.
      if (decision === null)
        return { kind: 'refused', field: '', issue: 'belongs to an execution that has ended' };
      if (decision.id === id) deps.changed(decision);
      return {
        kind: 'asked',
        decisionId: decision.id,
        askedAt: decision.createdAt,
        deadline: decision.deadlineAt ?? question.deadline,
        attachments: decision.question.attachments ?? [],
        people: decision.assignees.map(({ assignee, email, respondedAt, notices }) => ({
          assignee,
          email,
          hasAccount: !isEmailKey(assignee),
          hasResponded: respondedAt !== null,
          url: `${deps.baseUrl()}/decide/${deps.links.createToken({ decisionId: decision.id, assignee })}`,
          notices,
        })),
      };
    },

    countNotice: (decisionId, { assignee }, notices) =>
      deps.decisions.countNotice(decisionId, assignee, notices),

    hasMessage: async (decisionId) => (await deps.messages.count(decisionId)) > 0,
    recordMessage: (message) => deps.messages.add(message, deps.clock.now()),

    async endQuestion({ ownerId, executionId, path }: ParentNode) {
      const decision = await deps.decisions.expire(ownerId, executionId, path, deps.clock.now());
      if (decision === null) return { choice: null, result: {} };
      if (decision.status === 'expired') deps.changed(decision);
      return { choice: decision.choice, result: createDecisionResult(decision) };
    },
  };
}
