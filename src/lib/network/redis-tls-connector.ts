import { connect, type ConnectionOptions } from 'node:tls';
import { AbstractConnector } from 'ioredis';

type ConnectorOptions = {
  host?: string;
  port?: number;
  tls?: ConnectionOptions;
  disconnectTimeout: number;
};

/**
 * Opens TLS connections to Redis. A TLS socket can emit `error` more than once, for example when a
 * certificate is rejected while the server's alert arrives. The default connector of ioredis handles only the
 * first one, so the second would crash the process (https://github.com/redis/ioredis/pull/961).
 */
export class RedisTlsConnector extends AbstractConnector {
  private readonly options: ConnectorOptions;

  constructor(options: unknown) {
    const known = options as ConnectorOptions;
    super(known.disconnectTimeout);
    this.options = known;
  }

  async connect() {
    const { host = 'localhost', port = 6379, tls = {} } = this.options;
    this.connecting = true;
    const stream = connect({ host, port, ...tls });
    stream.on('error', (error) => {
      this.firstError ??= error;
    });
    this.stream = stream;
    return stream;
  }
}
