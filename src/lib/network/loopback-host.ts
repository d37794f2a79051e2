/** Whether a URL's host name or address (IPv6 with or without brackets) is this machine's loopback. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:\[::1\]|::1|127(?:\.\d{1,3}){3}|(?:.+\.)?localhost)$/i.test(host);
}
