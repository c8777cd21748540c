/** The part of a pino logger that the HTTP server needs. */
export interface HttpLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
