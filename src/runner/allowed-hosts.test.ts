import { describe, expect, it } from 'vitest';
import { AllowedHostsError, parseAllowedHosts } from './allowed-hosts.ts';

describe('the list of private hosts that may be called', () => {
  const allowed = parseAllowedHosts(
    ' 10.1.0.0/16, 127.0.0.1:9000 ,[::1]:9001,fd00::/8,[fd12::/16]:443, Printer.Local.:631,intranet,192.168.5.5, 172.16.0.0/12:80',
  );
  it.each([
    ['x', '10.1.2.3', 80, true],
    ['x', '10.2.0.1', 80, false],
    ['x', '::ffff:10.1.2.3', 80, true],
    ['127.0.0.1', '127.0.0.1', 9000, true],
    ['127.0.0.1', '127.0.0.1', 9001, false],
    ['x', '::ffff:7f00:1', 9000, true],
    ['::1', '::1', 9001, true],
    ['::1', '0:0:0:0:0:0:0:1', 9001, true],
    ['::1', '::1', 9000, false],
    ['x', 'fd00::5', 1, true],
    ['x', 'fc00::5', 1, false],
    ['printer.local', '127.0.0.9', 631, true],
    ['PRINTER.local.', '127.0.0.9', 631, true],
    ['printer.local', '127.0.0.9', 632, false],
    ['a.printer.local', '127.0.0.9', 631, false],
    ['intranet', '10.9.9.9', 1, true],
    ['x', '192.168.5.5', 5, true],
    ['x', '192.168.5.6', 5, false],
    ['x', '172.20.0.1', 80, true],
    ['x', '172.20.0.1', 81, false],
  ])('%s at %s:%d is %s', (host, address, port, expected) => {
    expect(allowed.permits(host, address, port)).toBe(expected);
  });

  it('permits nothing when it is empty', () => {
    expect(parseAllowedHosts(' , ').permits('x', '127.0.0.1', 80)).toBe(false);
  });

  it.each([
    ['10.0.0.0/33', /is not a CIDR range/],
    ['10.0.0/8', /is not a CIDR range/],
    ['10.0.0.1:0', /port outside 1 to 65535/],
    ['10.0.0.1:65536', /port outside 1 to 65535/],
    ['10.0.0.1:http', /port outside 1 to 65535/],
    ['host:', /port outside 1 to 65535/],
    ['10.0.0.256', /is not an address, a CIDR range or a host name/],
    ['127.1', /is not an address, a CIDR range or a host name/],
    ['*.local', /is not an address, a CIDR range or a host name/],
    ['http://printer', /is not a CIDR range|port/],
    ['a b', /is not an address, a CIDR range or a host name/],
    ['[::1', /is not an address, a CIDR range or a host name/],
  ])('refuses %s and says why', (text, message) => {
    expect(() => parseAllowedHosts(`10.0.0.0/8,${text}`)).toThrow(AllowedHostsError);
    expect(() => parseAllowedHosts(text)).toThrow(message);
    expect(() => parseAllowedHosts(text)).toThrow(JSON.stringify(text));
  });
});
