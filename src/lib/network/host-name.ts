import { isIP } from 'node:net';

/** The dot after the last label is optional. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?\.?$/u;

/** Whether a text is a host name or an IP address, without a port and without brackets. */
export function isHostName(text: string): boolean {
  return NAME.test(text) || isIP(text) !== 0;
}
