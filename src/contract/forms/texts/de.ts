import type { FormTexts } from './form-texts.ts';

export const de: FormTexts = {
  language: 'de',
  page: {
    errorTitle: (title) => `Fehler: ${title}`,
    step: (page, pages) => `Schritt ${page} von ${pages}`,
    submit: 'Absenden',
    next: 'Weiter',
    back: 'Zurück',
    optional: 'optional',
    choose: 'Auswählen …',
    logo: 'Logo',
    finalTitle: 'Vielen Dank',
    finalText: 'Ihre Antwort ist eingegangen.',
    checkFields: (count) => (count === 1 ? 'Bitte prüfen Sie dieses Feld' : 'Bitte prüfen Sie diese Felder'),
    fieldIssue: (label, issue) => `${label}: ${issue}`,
  },
  issues: {
    required: 'Dieses Feld ist erforderlich.',
    email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.',
    date: 'Geben Sie ein Datum ein, zum Beispiel 2026-01-31.',
    time: 'Geben Sie eine Uhrzeit ein, zum Beispiel 14:30.',
    dateTime: 'Geben Sie Datum und Uhrzeit ein, zum Beispiel 2026-01-31T14:30.',
    choice: 'Wählen Sie eine der Optionen.',
    choices: 'Wählen Sie aus den Optionen.',
    minChoices: (count) =>
      count === 1 ? 'Wählen Sie mindestens eine Option.' : `Wählen Sie mindestens ${count} Optionen.`,
    maxChoices: (count) => {
      if (count === 0) return 'Wählen Sie keine Option.';
      return count === 1 ? 'Wählen Sie nur eine Option.' : `Wählen Sie höchstens ${count} Optionen.`;
    },
    file: 'Wählen Sie eine Datei. Nach einem Fehler muss sie erneut gewählt werden.',
    fileSize: (mebibytes) => `Wählen Sie eine Datei von höchstens ${mebibytes} MiB.`,
    fileTypes: (types) => `Wählen Sie eine Datei dieser Typen: ${types}.`,
    number: 'Geben Sie eine Zahl ein, zum Beispiel 12 oder 1.5.',
    minNumber: (least) => `Geben Sie eine Zahl ein, die mindestens ${least} ist.`,
    maxNumber: (most) => `Geben Sie eine Zahl ein, die höchstens ${most} ist.`,
    text: 'Geben Sie einen Text ein.',
    oneLine: 'Geben Sie eine einzelne Zeile ohne Zeilenumbrüche ein.',
    minText: (count) => `Geben Sie mindestens ${count} Zeichen ein.`,
    maxText: (count) => `Geben Sie höchstens ${count} Zeichen ein.`,
  },
  notes: {
    notFound: [
      'Dieses Formular ist nicht verfügbar',
      'Die Adresse ist falsch, oder das Formular wurde geschlossen.',
    ],
    rateLimited: [
      'Zu viele Anfragen',
      'Gehen Sie in einer Minute zurück und senden Sie das Formular erneut ab. Ihr Browser behält Ihre Eingaben.',
    ],
    tooLarge: (mebibytes) => [
      'Das Formular ist zu groß',
      `Gehen Sie zurück und wählen Sie kleinere Dateien, oder kürzen Sie Ihre Texte: zusammen höchstens ${mebibytes} MiB.`,
    ],
    changed: (names) => [
      'Das Formular wurde geändert',
      `Es wurde nichts abgesendet. Diese Felder gibt es nicht mehr: ${names}. Öffnen Sie das Formular erneut und füllen Sie die aktuellen Felder aus.`,
    ],
    unreadable: [
      'Das Formular konnte nicht gelesen werden',
      'Es wurde nichts abgesendet. Öffnen Sie das Formular erneut.',
    ],
    wrongType: [
      'Das ist kein Formular',
      'Senden Sie multipart/form-data oder application/x-www-form-urlencoded.',
    ],
    failed: [
      'Das Formular konnte nicht abgesendet werden',
      'Das ist ein Fehler des Dienstes. Gehen Sie zurück und senden Sie das Formular erneut ab.',
    ],
    wrongLink: [
      'Dieser Link ist nicht gültig',
      'Er ist unvollständig, abgelaufen oder wurde widerrufen. Bitten Sie den Absender um einen neuen.',
    ],
    login: [
      'Melden Sie sich an, um dieses Formular zu öffnen',
      'Dieses Formular ist für Benutzer von Weft. Melden Sie sich an und laden Sie diese Seite neu. Wenn Sie es schon ausgefüllt haben, melden Sie sich an, gehen Sie zurück und senden Sie es erneut ab.',
      'Anmeldeseite in einem neuen Tab öffnen',
    ],
    forbidden: [
      'Sie können dieses Formular nicht absenden',
      'Ihr Konto wurde gelöscht oder hat die gefragte Rolle nicht mehr.',
    ],
    otherSite: [
      'Dieses Formular wurde von einer anderen Website gesendet',
      'Es wurde nichts abgesendet, weil die Anfrage nicht von einer Seite dieses Dienstes kam. Öffnen Sie das Formular unter der Adresse dieses Dienstes und senden Sie es dort ab.',
    ],
    submittedByOther: ['Dieses Formular wurde bereits abgesendet', 'Es kann nur einmal abgesendet werden.'],
    expired: ['Die Frist dieses Formulars ist abgelaufen', 'Es kann nicht mehr abgesendet werden.'],
    cancelled: [
      'Dieses Formular wird nicht mehr benötigt',
      'Die Ausführung, die darum gebeten hat, ist beendet.',
    ],
  },
  decision: {
    workflow: 'Workflow',
    respondAs: 'Sie antworten als',
    deadline: 'Frist',
    comment: 'Kommentar',
    yourResponse: 'Ihre Antwort',
    decided: 'Entschieden',
    lastResponse: (person) => `Die letzte Antwort kam von ${person}.`,
    alreadyResponded: (label) =>
      `Sie haben bereits geantwortet: ${label}. Ihre erste Antwort bleibt bestehen.`,
    alreadyClosed: 'Die Entscheidung war bereits abgeschlossen, daher wurde Ihre Antwort nicht gespeichert.',
    roleLost: (role) => `Diese Entscheidung erfordert die Rolle ${role}, die Sie nicht mehr haben.`,
    accountDeleted: 'Das Konto dieses Links wurde gelöscht.',
    moreNeeded: 'Für die Entscheidung sind weitere Antworten nötig.',
    expired: 'Die Frist ist ohne Entscheidung abgelaufen.',
    cancelled: 'Die Ausführung wartet nicht mehr auf diese Entscheidung.',
    attachments: 'Anhänge',
    unknownFile: [
      'Diese Datei ist nicht verfügbar',
      'Dateien einer Entscheidung können heruntergeladen werden, bis die Entscheidung getroffen, abgelaufen oder abgebrochen ist.',
    ],
    unknownLink: [
      'Dieser Link ist nicht gültig',
      'Er ist unvollständig oder wurde verändert, oder seine Entscheidung wurde gelöscht. Öffnen Sie den Link der E-Mail erneut, oder fragen Sie den Absender.',
    ],
  },
};
