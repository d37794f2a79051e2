/** A title and a text of a page that shows no form. */
export type Note = readonly [title: string, text: string];

/**
 * The texts of the pages of forms, for the people who fill them in. The texts of a form itself are those of
 * its author.
 */
export type FormTexts = {
  readonly language: string;
  readonly page: {
    errorTitle(title: string): string;
    step(page: number, pages: number): string;
    readonly submit: string;
    readonly next: string;
    readonly back: string;
    readonly optional: string;
    readonly choose: string;
    readonly logo: string;
    readonly finalTitle: string;
    readonly finalText: string;
    checkFields(count: number): string;
    fieldIssue(label: string, issue: string): string;
  };
  /** What to enter, for each way in which a value can be wrong. */
  readonly issues: {
    readonly required: string;
    readonly email: string;
    readonly date: string;
    readonly time: string;
    readonly dateTime: string;
    readonly choice: string;
    readonly choices: string;
    minChoices(count: number): string;
    maxChoices(count: number): string;
    readonly file: string;
    fileSize(mebibytes: number): string;
    fileTypes(types: string): string;
    readonly number: string;
    minNumber(least: number): string;
    maxNumber(most: number): string;
    readonly text: string;
    readonly oneLine: string;
    minText(count: number): string;
    maxText(count: number): string;
  };
  readonly notes: {
    readonly notFound: Note;
    readonly rateLimited: Note;
    tooLarge(mebibytes: number): Note;
    /** `names`: of the fields that the form does not have. */
    changed(names: string): Note;
    readonly unreadable: Note;
    readonly wrongType: Note;
    readonly failed: Note;
    readonly wrongLink: Note;
    readonly login: readonly [title: string, text: string, linkText: string];
    readonly forbidden: Note;
    /** The page that sent the form is not of this service. */
    readonly otherSite: Note;
    readonly submittedByOther: Note;
    readonly expired: Note;
    readonly cancelled: Note;
  };
  /** The page of a decision behind a link. Times are in UTC. */
  readonly decision: {
    readonly workflow: string;
    readonly respondAs: string;
    readonly deadline: string;
    readonly comment: string;
    readonly yourResponse: string;
    readonly decided: string;
    lastResponse(person: string): string;
    /** Why a response was refused. */
    alreadyResponded(label: string): string;
    readonly alreadyClosed: string;
    roleLost(role: string): string;
    readonly accountDeleted: string;
    readonly moreNeeded: string;
    readonly expired: string;
    readonly cancelled: string;
    readonly attachments: string;
    readonly unknownFile: Note;
    readonly unknownLink: Note;
  };
};
