import { Cable } from 'lucide-react';
import type { ConnectedAccount } from 'weft-client';
import { GithubMark, GoogleMark, HubspotMark, type Mark } from '../ui/brand-marks.tsx';

const MARKS: Readonly<Record<string, Mark>> = {
  github: GithubMark,
  google: GoogleMark,
  hubspot: HubspotMark,
};

/** The mark of a provider, or of connections in general. */
export function providerMark(provider: ConnectedAccount['provider'] | undefined): Mark {
  return MARKS[provider ?? ''] ?? Cable;
}
