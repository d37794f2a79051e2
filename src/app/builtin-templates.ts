import apiSync from '../../templates/api-sync.json' with { type: 'json' };
import approvalReminder from '../../templates/approval-reminder.json' with { type: 'json' };
import contentReview from '../../templates/content-review.json' with { type: 'json' };
import expenseApproval from '../../templates/expense-approval.json' with { type: 'json' };
import firstSteps from '../../templates/first-steps.json' with { type: 'json' };
import formToCrm from '../../templates/form-to-crm.json' with { type: 'json' };
import githubPushToChat from '../../templates/github-push-to-chat.json' with { type: 'json' };
import handbookAgent from '../../templates/handbook-agent.json' with { type: 'json' };
import intakeForm from '../../templates/intake-form.json' with { type: 'json' };
import invoiceExtraction from '../../templates/invoice-extraction.json' with { type: 'json' };
import nightlyReport from '../../templates/nightly-report.json' with { type: 'json' };
import orderIntake from '../../templates/order-intake.json' with { type: 'json' };
import refundTool from '../../templates/refund-tool.json' with { type: 'json' };
import researchAgent from '../../templates/research-agent.json' with { type: 'json' };
import supportAgent from '../../templates/support-agent.json' with { type: 'json' };
import ticketTriage from '../../templates/ticket-triage.json' with { type: 'json' };
import uptimeCheck from '../../templates/uptime-check.json' with { type: 'json' };
import webhookRelay from '../../templates/webhook-relay.json' with { type: 'json' };

/**
 * Built-in templates, in the order of lists, as bodies of registration requests. They are imported so that
 * every build contains them. A test compares this list with the folder, and registers, fills and runs each of
 * them.
 */
export const builtinTemplates: readonly unknown[] = [
  apiSync,
  approvalReminder,
  contentReview,
  expenseApproval,
  firstSteps,
  formToCrm,
  githubPushToChat,
  handbookAgent,
  intakeForm,
  invoiceExtraction,
  nightlyReport,
  orderIntake,
  refundTool,
  researchAgent,
  supportAgent,
  ticketTriage,
  uptimeCheck,
  webhookRelay,
];
