import type { FormState } from '../../../shared/form/formState.js';

/** Maximum number of steps. A step needs little memory, because states share their unchanged parts. */
const maxSteps = 200;

/** The states of a list before each edit, for undo and redo. */
export class UndoStack {
  private before: FormState[] = [];
  private undone: FormState[] = [];

  get canUndo(): boolean {
    return this.before.length > 0;
  }

  /** Remembers the state before an edit. */
  push(state: FormState): void {
    this.before = [...this.before, state].slice(-maxSteps);
    this.undone = [];
  }

  undo(now: FormState): FormState | undefined {
    const state = this.before.pop();
    if (state) this.undone.push(now);
    return state;
  }

  redo(now: FormState): FormState | undefined {
    const state = this.undone.pop();
    if (state) this.before.push(now);
    return state;
  }
}
