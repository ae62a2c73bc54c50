import { config } from '@vscode/l10n';
import '../page/page.css';
import '../page/panel.css';
import '../form/form.css';
import { withSecretsOf } from '../../shared/form/formSecrets.js';
import type { JsonValue } from '../../shared/json.js';
import type { FormRequestState, FromFormRequestPage, ToFormRequestPage } from '../../shared/panel/formRequestPage.js';
import { ArgumentsSide } from '../form/argumentsSide.js';
import type { SavedForm } from '../form/draftState.js';
import { DraftSender, formRequests, newer } from '../form/draftState.js';
import { Host } from '../page/host.js';
import { onIdleEnter, onRunKey } from '../page/runKey.js';
import { FormRequestView } from './formRequestView.js';

/** The page of a form that a server or a feature requests. */
class FormRequestPage {
  private view: FormRequestView | undefined;
  private saved: SavedForm | undefined;
  private readonly host = new Host<FromFormRequestPage, ToFormRequestPage, SavedForm>({
    notices: {
      ask: (state) => this.ask(state),
      over: ({ text }) => this.view?.end(text),
      progress: ({ text }) => this.view?.setProgress(text),
    },
    requests: {},
  });
  private readonly sender = new DraftSender((draft) => this.host.channel.notify('keep', { draft }));

  open(): void {
    this.saved = this.host.state;
    onRunKey(() => void this.view?.submit());
    onIdleEnter(() => this.view?.showSubmitKey());
    this.host.channel.notify('ready', {});
  }

  private ask(state: FormRequestState): void {
    config({ contents: state.bundle });
    const { target, form, start } = state;
    const tab = { target, ...(state.kept && { kept: state.kept }) };
    const isSetting = target.kind === 'server';
    const draft = newer(
      this.saved?.target.id === target.id && state.isReset !== true ? this.saved.draft : undefined,
      state.draft,
    );
    this.keep({ ...tab, ...(draft && { draft }) });
    const side = new ArgumentsSide({
      form,
      draft: draft && { ...draft, state: withSecretsOf(form, draft.state, start as JsonValue, { isSetting }) },
      start,
      isSetting,
      ...formRequests(this.host.channel),
      onChange: (news) => {
        this.keep({ ...tab, draft: news });
        this.sender.later(news);
      },
    });
    const isFirst = this.view === undefined;
    this.view = new FormRequestView({
      state,
      side,
      submit: (values, isSecondary) => {
        const { json } = side;
        this.host.channel.notify('submit', { arguments: values, isSecondary, ...(json === undefined ? {} : { json }) });
      },
      leave: (way) => this.host.channel.notify('leave', { way }),
    });
    document.body.replaceChildren(this.view.element);
    // After a failure, the form is drawn again, so no element has the focus.
    if ((isFirst || state.failure) && document.hasFocus()) this.view.focus();
  }

  private keep(saved: SavedForm): void {
    this.saved = saved;
    this.host.keep(saved);
  }
}

new FormRequestPage().open();
