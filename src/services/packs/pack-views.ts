import type { TSchema } from 'typebox';
import type { PackChoices } from '../../contract/packs/pack-choices.ts';
import type { NpmManifest, NpmTrigger } from '../../contract/packs/npm-packs.ts';
import type { PackDifference } from '../../contract/packs/pack-difference.ts';
import type { PackManifest, PackOperation } from '../../contract/packs/packs.ts';
import type { PackSecurityScheme } from '../../contract/packs/pack-security.ts';
import type { PackOutcome } from '../../contract/resources/pack.ts';
import type { Pagination } from '../../contract/paging.ts';
import type { PackSummary } from '../../ports/store/packs.ts';

/** A pack as the caller sees it. The last three are null in a dry run or for other callers. */
export type PackView = Omit<PackSummary, 'sourceUrl' | 'installedBy' | 'installedAt'> & {
  readonly sourceUrl: string | null;
  readonly installedBy: string | null;
  readonly installedAt: number | null;
  /** Newest first. */
  readonly versions: readonly string[];
};
export type PackDetailView = PackView & {
  readonly manifest: Pick<PackManifest, 'documentVersion' | 'servers' | 'warnings'>;
  readonly authentication: readonly PackAuthenticationView[];
  /** Null and empty for a pack from a document. */
  readonly package: NpmManifest['package'] | null;
  readonly triggers: readonly NpmTrigger[];
};
/** `field`: the field of a configuration that takes it; null: none does. */
export type PackAuthenticationView = { readonly scheme: PackSecurityScheme; readonly field: string | null };
export type PackInstallationView = {
  readonly outcome: PackOutcome;
  readonly isDryRun: boolean;
  readonly pack: PackDetailView;
  readonly fromVersion: string | null;
  readonly changes: PackDifference;
  readonly suggestedVersion: string;
};
export type PackListView = { readonly rows: readonly PackView[]; readonly pagination: Pagination };
export type PackOperationListView = {
  readonly rows: readonly PackOperation[];
  readonly pagination: Pagination;
};
export type PackOperationView = PackOperation & {
  readonly configSchema: TSchema;
  readonly secretFields: readonly string[];
};
export type PackOperationNamesView = Pick<PackManifest, 'name' | 'version' | 'operations'>;
export type PackWorkflowsView = {
  readonly workflows: readonly {
    readonly id: string;
    readonly ownerId: string;
    /** Null for the workflow of another user. */
    readonly name: string | null;
    readonly versions: readonly number[];
  }[];
  readonly isComplete: boolean;
};

/** `loadedAt` in epoch ms. */
export type PackChoicesView = { readonly choices: PackChoices; readonly loadedAt: number };
