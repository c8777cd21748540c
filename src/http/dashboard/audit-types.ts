import type { OperatorAction } from "../../store/operator-actions.js";
import type { NamedToolCall } from "../../store/reports.js";

export type { NamedToolCall, OperatorAction };

export interface AuditAnswer {
  calls: NamedToolCall[];
  next: string | null;
}

export interface ActionsAnswer {
  actions: OperatorAction[];
  next: string | null;
}
