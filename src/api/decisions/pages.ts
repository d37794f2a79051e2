import { isoTime } from '../../lib/time/iso-time.ts';
import { findLastResponse, type DecisionView } from '../../services/decisions/decisions.service.ts';
import { markup, nothing, type Markup } from '../oauth/markup.ts';
import { notePage, renderPage, type Page } from '../oauth/pages.ts';

/** `entered` is the comment of a form that could not be accepted, with the reason. */
export function decisionPage(
  decision: DecisionView,
  entered: { comment: string; issue: string } | null = null,
): Page {
  const own = decision.assignees.find(({ assignee }) => assignee === decision.viewer);
  const canRespond = decision.status === 'open' && own?.respondedAt === null;
  return renderPage(
    decision.title,
    markup`<h1>${decision.title}</h1>
${decision.question.message === null ? nothing : markup`<p class="text">${decision.question.message}</p>`}
${entered === null ? nothing : markup`<p class="note bad" role="alert">${entered.issue}</p>`}
<dl class="facts">
<div><dt>Workflow</dt><dd>${decision.workflowName}</dd></div>
<div><dt>You respond as</dt><dd>${own?.email ?? ''}</dd></div>
${decision.status === 'open' && decision.deadlineAt !== null ? markup`<div><dt>Deadline</dt><dd>${renderTime(decision.deadlineAt)}</dd></div>` : nothing}
</dl>
${canRespond ? renderForm(decision, entered?.comment ?? '') : renderResult(decision)}`,
  );
}

function renderForm({ question }: DecisionView, comment: string): Markup {
  const buttons = question.choices.map(
    ({ name, label }, i) =>
      markup`<button ${i === 0 ? markup`class="main"` : nothing} name="choice" value="${name}">${label}</button>`,
  );
  return markup`<form method="post">
<label class="field"><span>Comment (optional)</span><textarea name="comment" rows="3" maxlength="5000">${comment}</textarea></label>
<div class="actions">
${buttons}
</div>
</form>`;
}

function renderResult(decision: DecisionView): Markup {
  const own = decision.assignees.find(({ assignee }) => assignee === decision.viewer);
  const label = (choice: string | null): string =>
    decision.question.choices.find(({ name }) => name === choice)?.label ?? choice ?? '';
  const responded =
    own?.respondedAt == null
      ? nothing
      : markup`<p>Your response: <strong>${label(own.choice)}</strong> (${renderTime(own.respondedAt)}).</p>`;
  const by = findLastResponse(decision)?.email ?? '';
  const results = {
    open: markup`<p class="soft">More responses are needed before the decision is made.</p>`,
    decided: markup`<p class="note good">Decided: <strong>${label(decision.choice)}</strong>. The last response was given by ${by} at ${renderTime(decision.closedAt ?? 0)}.</p>`,
    expired: markup`<p class="note">The deadline passed at ${renderTime(decision.closedAt ?? 0)} without a decision.</p>`,
    cancelled: markup`<p class="note">The execution no longer waits for this decision.</p>`,
  };
  return markup`${responded}
${results[decision.status]}`;
}

/** In UTC: the page has no script that knows the time zone of its reader. */
function renderTime(time: number): Markup {
  const iso = isoTime(time);
  return markup`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

export function unknownLinkPage(): Page {
  return notePage(
    'This link is not valid',
    'It is incomplete or was changed, or its decision was deleted. Open the link of the e-mail again, or ask its sender.',
    '',
  );
}
