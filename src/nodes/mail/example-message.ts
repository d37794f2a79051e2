/** A message as a search returns it. */
export const exampleMessageHead = {
  uid: 17,
  uid_validity: '1767600000',
  received_at: '2026-01-05T10:00:02.000Z',
  flags: [],
  size: 2048,
  from: { name: 'Ada', address: 'ada@example.com' },
  to: [{ name: '', address: 'orders@example.com' }],
  cc: [],
  reply_to: [],
  subject: 'Order 17',
  date: '2026-01-05T10:00:00.000Z',
  message_id: '<o17@example.com>',
  in_reply_to: null,
  references: [],
};

/** The same message with its texts and attachments. */
export const exampleMessage = {
  ...exampleMessageHead,
  text: 'See the attachment.\n',
  html: null,
  attachments: [{ $file: { id: 'file_1', name: 'order.pdf', content_type: 'application/pdf', size: 1200 } }],
  problem: null,
};
