/**
 * Apps of packs: `address` is the last part of the URL to which the service sends the events of all accounts;
 * `secret` is encrypted. `pack_listeners`: the events of accounts that a trigger wants, by the address of its
 * registration.
 */
export const sql = `
CREATE TABLE pack_apps (
  pack TEXT PRIMARY KEY NOT NULL,
  address TEXT NOT NULL,
  secret TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX pack_apps_address ON pack_apps (address);
CREATE TABLE pack_listeners (
  pack TEXT NOT NULL,
  event TEXT NOT NULL,
  identifier TEXT NOT NULL,
  address TEXT NOT NULL,
  PRIMARY KEY (pack, event, identifier, address)
);
CREATE INDEX pack_listeners_address ON pack_listeners (address);
`;
