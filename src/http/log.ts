/** What the HTTP side asks of a log; pino has it. */
export interface HttpLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
