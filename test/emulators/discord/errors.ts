/** Discord's error answers, word for word. */

export class ApiError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}

const refusal = (status: number, code: number, message: string) => new ApiError(status, { message, code });

export const unauthorized = () => refusal(401, 0, "401: Unauthorized");
export const unknownRoute = () => refusal(404, 0, "404: Not Found");
export const unknownChannel = () => refusal(404, 10003, "Unknown Channel");
export const unknownMessage = () => refusal(404, 10008, "Unknown Message");
export const unknownWebhook = () => refusal(404, 10015, "Unknown Webhook");
export const unknownInteraction = () => refusal(404, 10062, "Unknown interaction");
export const alreadyAcknowledged = () => refusal(400, 40060, "Interaction has already been acknowledged.");
export const missingAccess = () => refusal(403, 50001, "Missing Access");
export const missingPermissions = () => refusal(403, 50013, "Missing Permissions");
export const foreignMessage = () => refusal(403, 50005, "Cannot edit a message authored by another user");
export const emptyMessage = () => refusal(400, 50006, "Cannot send an empty message");
export const wrongChannelType = () => refusal(400, 50024, "Cannot execute action on this channel type");
export const closedDms = () => refusal(403, 50007, "Cannot send messages to this user");
export const threadLocked = () => refusal(403, 160005, "Thread is locked");
export const threadExists = () => refusal(400, 160004, "A thread has already been created for this message");

export function invalidForm(field: string, code: string, message: string): ApiError {
  return new ApiError(400, {
    code: 50035,
    message: "Invalid Form Body",
    errors: { [field]: { _errors: [{ code, message }] } },
  });
}
