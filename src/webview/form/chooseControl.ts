import type { Place } from '../../shared/form/place.js';
import { choiceControl } from './choiceControl.js';
import { constantControl, nullControl } from './constantControl.js';
import type { Control, ControlFrame } from './control.js';
import type { FormContext } from './formContext.js';
import { gridControl } from './grid/gridControl.js';
import { groupControl } from './groupControl.js';
import { jsonControl } from './jsonControl.js';
import { listControl } from './listControl.js';
import { numberControl } from './numberControl.js';
import { switchControl } from './switchControl.js';
import { textControl } from './textControl.js';
import { checkboxListControl } from './checkboxListControl.js';
import { variantControl } from './variantControl.js';

/** Creates the control for the type and current value of a place. */
export function chooseControl(context: FormContext, place: Place, frame: ControlFrame): Control {
  const { node, state } = place;
  if (state.kind === 'json') return jsonControl(context, place, frame);
  if (state.kind === 'value' && state.value === null && node.kind !== 'choice' && node.kind !== 'constant')
    return nullControl(context, place, frame);
  switch (node.kind) {
    case 'object':
      return groupControl(context, place, node, frame);
    case 'list':
      return (
        checkboxListControl(context, place, node, frame) ??
        gridControl(context, place, node, frame) ??
        listControl(context, place, node, frame)
      );
    case 'text':
      return textControl(context, place, node, frame);
    case 'number':
      return numberControl(context, place, node, frame);
    case 'switch':
      return switchControl(context, place, frame);
    case 'choice':
      return choiceControl(context, place, node, frame);
    case 'constant':
      return constantControl(context, place, node, frame);
    case 'variant':
      return variantControl(context, place, node, frame);
    case 'json':
      return jsonControl(context, place, frame);
  }
}
