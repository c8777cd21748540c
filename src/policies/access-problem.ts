/** Checks a platform's access lists → a sentence with the fix if something is wrong. Pure. */
import { type AccessLists, anyAllowlistSet, unauthorizedResponse } from "./access.js";

export interface AccessProblem {
  /** `warn`: no message will ever be answered. */
  level: "info" | "warn";
  text: string;
  fix: string;
}

export function accessProblem(
  platform: string,
  lists: AccessLists,
  dmBehaviour: "pair" | "ignore" | undefined,
): AccessProblem | undefined {
  const { dmPolicy } = lists.platform;
  const listed = anyAllowlistSet(lists);
  const strangers = unauthorizedResponse({ chatType: "dm", dmBehaviour, anyAllowlistSet: listed });
  const pairs = dmPolicy !== "disabled" && strangers === "pair";
  const offerCodes = `platforms.${platform}.unauthorized_dm_behavior: pair`;
  if (!pairs && !isAnyoneAllowed(platform, lists))
    return {
      level: "warn",
      text: `No one can talk to the bot on ${platform}: no person is allowed, and strangers get no pairing code.`,
      fix: `List people in platforms.${platform}.allow_from, or set ${offerCodes}.`,
    };
  if (listed && dmBehaviour === undefined && dmPolicy === null)
    return {
      level: "info",
      text: `Strangers on ${platform} get no pairing code, because an allowlist is set.`,
      fix: `Set ${offerCodes} to offer codes.`,
    };
  return undefined;
}

function isAnyoneAllowed(platform: string, lists: AccessLists): boolean {
  const { allowAll, dmPolicy, groupPolicy } = lists.platform;
  return (
    allowAll ||
    lists.allowAll ||
    dmPolicy === "open" ||
    groupPolicy === "open" ||
    anyAllowlistSet(lists) ||
    lists.owners.some((owner) => owner.startsWith(`${platform}:`))
  );
}
