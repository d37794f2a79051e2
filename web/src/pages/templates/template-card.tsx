import { CalendarClock, Play, Sparkles, Webhook } from 'lucide-react';
import type { TemplateSummary } from 'weft-client';
import { formatTemplateTitle } from '../../data/template-title.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { t } from '../../i18n/index.ts';

/** Infers the trigger from the names of the parameters. */
function selectIcon({ parameters }: TemplateSummary) {
  const names = parameters.map(({ name }) => name);
  if (names.includes('endpoint')) return Webhook;
  return names.includes('cron') || names.includes('interval') ? CalendarClock : Sparkles;
}

/** Whether the template has no required parameters. */
export function canRunUnchanged({ parameters }: TemplateSummary): boolean {
  return parameters.every(({ required, type }) => !required && type !== 'secret');
}

export function TemplateCard({
  template,
  isBusy = false,
  onUse,
  onRun,
}: {
  template: TemplateSummary;
  isBusy?: boolean;
  onUse: () => void;
  onRun: () => void;
}) {
  const Icon = selectIcon(template);
  const title = formatTemplateTitle(template.templateName);
  const needed = template.parameters.filter(({ required }) => required).length;
  const secrets = template.parameters.filter(({ type }) => type === 'secret').length;
  const isReady = canRunUnchanged(template);
  return (
    <li className="template-card">
      <div className="template-card__head">
        <span className="template-card__icon" aria-hidden="true">
          <Icon size={17} />
        </span>
        <h2 className="template-card__title">{title}</h2>
        {!template.builtin && <Badge>{t('Custom')}</Badge>}
      </div>
      <p className="template-card__text">{template.description}</p>
      <div className="template-card__foot">
        <span className="faint">
          {isReady
            ? t('Ready to run')
            : [
                needed > 0 && `${needed} ${needed === 1 ? 'value' : 'values'}`,
                secrets > 0 && `${secrets} ${secrets === 1 ? 'secret' : 'secrets'}`,
              ]
                .filter((one) => one !== false)
                .join(', ')}
        </span>
        {isReady ? (
          <Button
            size="small"
            variant="primary"
            icon={<Play size={13} />}
            isBusy={isBusy}
            aria-label={t('Create and run {{title}}', { title })}
            onClick={onRun}
          >
            {t('Create and run')}
          </Button>
        ) : (
          <Button size="small" aria-label={t('Use {{title}}', { title })} onClick={onUse}>
            {t('Use')}
          </Button>
        )}
      </div>
    </li>
  );
}
