import type { FormTexts } from './form-texts.ts';

export const en: FormTexts = {
  language: 'en',
  page: {
    errorTitle: (title) => `Error: ${title}`,
    step: (page, pages) => `Step ${page} of ${pages}`,
    submit: 'Submit',
    next: 'Next',
    back: 'Back',
    optional: 'optional',
    choose: 'Choose…',
    logo: 'Logo',
    finalTitle: 'Thank you',
    finalText: 'Your response was received.',
    checkFields: (count) => (count === 1 ? 'Please check this field' : 'Please check these fields'),
    fieldIssue: (label, issue) => `${label}: ${issue}`,
  },
  issues: {
    required: 'This field is required.',
    email: 'Enter an email address, such as name@example.com.',
    date: 'Enter a date, such as 2026-01-31.',
    time: 'Enter a time, such as 14:30.',
    dateTime: 'Enter a date and a time, such as 2026-01-31T14:30.',
    choice: 'Choose one of the options.',
    choices: 'Choose from the options.',
    minChoices: (count) =>
      count === 1 ? 'Choose at least one option.' : `Choose at least ${count} options.`,
    maxChoices: (count) => {
      if (count === 0) return 'Choose no option.';
      return count === 1 ? 'Choose only one option.' : `Choose at most ${count} options.`;
    },
    file: 'Choose a file. If there was an error, choose it again.',
    fileSize: (mebibytes) => `Choose a file of at most ${mebibytes} MiB.`,
    fileTypes: (types) => `Choose a file of these types: ${types}.`,
    number: 'Enter a number.',
    minNumber: (least) => `Enter a number of at least ${least}.`,
    maxNumber: (most) => `Enter a number of at most ${most}.`,
    text: 'Enter a text.',
    oneLine: 'Enter a single line, without line breaks.',
    minText: (count) =>
      count === 1 ? 'Enter at least one character.' : `Enter at least ${count} characters.`,
    maxText: (count) => (count === 1 ? 'Enter only one character.' : `Enter at most ${count} characters.`),
  },
  notes: {
    notFound: ['This form is not available', 'The address is wrong, or the form was closed.'],
    rateLimited: [
      'Too many requests',
      'Go back in a minute and submit the form again. What you entered is kept by your browser.',
    ],
    tooLarge: (mebibytes) => [
      'The form is too large',
      `Go back and choose smaller files, or shorten your texts: at most ${mebibytes} MiB in total.`,
    ],
    changed: (names) => [
      'The form was changed',
      `Nothing was submitted: this form does not have: ${names}. Open the form again and fill in its current fields.`,
    ],
    unreadable: ['The form could not be read', 'Nothing was submitted. Open the form again.'],
    wrongType: ['This is not a form', 'Send multipart/form-data or application/x-www-form-urlencoded.'],
    failed: [
      'The form could not be submitted',
      'This is an error of the service. Go back and submit the form again.',
    ],
    wrongLink: [
      'This link is not valid',
      'It is incomplete, has expired, or was revoked. Ask its sender for a new one.',
    ],
    login: [
      'Log in to open this form',
      'This form is for users of Weft. Log in, then reload this page. If you have already filled it in, log in, go back and submit it again.',
      'Open the login page in a new tab',
    ],
    forbidden: [
      'You cannot submit this form',
      'Your account was deleted, or has lost the role that was asked.',
    ],
    otherSite: [
      'This form was sent from another site',
      'Nothing was submitted, because the request did not come from a page of this service. Open the form at the address of this service and submit it there.',
    ],
    submittedByOther: ['This form was already submitted', 'It can be submitted only once.'],
    expired: ['The deadline of this form has passed', 'It can no longer be submitted.'],
    cancelled: ['This form is no longer needed', 'The execution that asked for it has ended.'],
  },
  decision: {
    workflow: 'Workflow',
    respondAs: 'You respond as',
    deadline: 'Deadline',
    comment: 'Comment',
    yourResponse: 'Your response',
    decided: 'Decided',
    lastResponse: (person) => `The last response was given by ${person}.`,
    alreadyResponded: (label) => `You have already responded: ${label}. Your first response is kept.`,
    alreadyClosed: 'The decision was already closed, so your response was not recorded.',
    roleLost: (role) => `This decision needs the role ${role}, which you no longer have.`,
    accountDeleted: 'The account of this link was deleted.',
    moreNeeded: 'More responses are needed before the decision is made.',
    expired: 'The deadline passed without a decision.',
    cancelled: 'The execution no longer waits for this decision.',
    attachments: 'Attachments',
    unknownFile: [
      'This file is not available',
      'Files of a decision can be downloaded until the decision is made, expires or is cancelled.',
    ],
    unknownLink: [
      'This link is not valid',
      'It is incomplete or was changed, or its decision was deleted. Open the link of the e-mail again, or ask its sender.',
    ],
  },
};
