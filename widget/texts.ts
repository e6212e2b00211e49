/** Everything the widget says by itself. Names of forms and fields come from the assistant's settings. */
const en = {
  launcher: 'Help and contact',
  title: 'How can we help?',
  intro: 'Choose a topic. We will get back to you.',
  empty: 'There is nothing to fill in here at the moment.',
  back: 'Back',
  close: 'Close',
  optional: '(optional)',
  send: 'Send',
  sending: 'Sending…',
  retry: 'Try again',
  sentTitle: 'Thank you!',
  sent: 'Your message has been sent.',
  another: 'Send another message',
  required: 'Please fill in this field.',
  email: 'Please enter an email address, such as name@example.com.',
  number: 'Please enter a number.',
  invalid: 'Please check the fields marked below.',
  offline: 'We could not be reached. Please check your connection and try again.',
  busy: 'Too many messages in a short time. Please wait a minute and try again.',
  failed: 'Your message could not be delivered. Please try again.',
  renewing: 'Renewing your session…',
  expired: 'Your session has expired. Reload the page to go on; what you typed is kept.',
  renewed: 'Your session has been renewed. You can send your message now.',
};

export type Texts = typeof en;

const de: Texts = {
  launcher: 'Hilfe und Kontakt',
  title: 'Wie können wir helfen?',
  intro: 'Wählen Sie ein Thema. Wir melden uns bei Ihnen.',
  empty: 'Hier gibt es zurzeit nichts auszufüllen.',
  back: 'Zurück',
  close: 'Schließen',
  optional: '(freiwillig)',
  send: 'Senden',
  sending: 'Wird gesendet…',
  retry: 'Erneut versuchen',
  sentTitle: 'Vielen Dank!',
  sent: 'Ihre Nachricht wurde gesendet.',
  another: 'Weitere Nachricht senden',
  required: 'Bitte füllen Sie dieses Feld aus.',
  email: 'Bitte geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.',
  number: 'Bitte geben Sie eine Zahl ein.',
  invalid: 'Bitte prüfen Sie die markierten Felder.',
  offline: 'Wir sind nicht erreichbar. Bitte prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  busy: 'Zu viele Nachrichten in kurzer Zeit. Bitte versuchen Sie es in einer Minute erneut.',
  failed: 'Ihre Nachricht konnte nicht zugestellt werden. Bitte versuchen Sie es erneut.',
  renewing: 'Ihre Sitzung wird erneuert…',
  expired: 'Ihre Sitzung ist abgelaufen. Laden Sie die Seite neu; Ihre Eingaben bleiben erhalten.',
  renewed: 'Ihre Sitzung wurde erneuert. Sie können die Nachricht jetzt senden.',
};

/** The page's language if we speak it, else English. */
export function textsFor(pageLanguage: string): { readonly language: string; readonly texts: Texts } {
  return /^de\b/i.test(pageLanguage) ? { language: 'de', texts: de } : { language: 'en', texts: en };
}
