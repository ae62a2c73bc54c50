import * as vscode from 'vscode';
import type { InterchangeReport } from '../../../core/present/documents/interchangeReport.js';
import { interchangeText } from '../../../core/present/documents/interchangeReport.js';
import type { Reports } from '../../ui/reports.js';
import { showInformation } from '../../adapters/userMessages.js';

/** Shows that an import or export is complete. Opens the report if it contains details. */
export async function showInterchangeReport(reports: Reports, report: InterchangeReport): Promise<void> {
  if (report.losses.length > 0 || report.unusable.length > 0) {
    await reports.show(vscode.l10n.t('Server Report'), interchangeText(report));
    return;
  }
  void showInformation(report.title);
}
