/** Whether a host name or address of a URL (IPv6 with or without brackets) is one of this machine's loopback interface. */
export function isLoopbackHost(host: string): boolean {
  return /^(?:\[::1\]|::1|127(?:\.\d{1,3}){3}|(?:.+\.)?localhost)$/i.test(host);
}
