import type { Role } from "../../../src/http/dashboard/people-types.js";
import { Badge, type Tone } from "./badges.js";

const ROLES: Record<Role["kind"], [string, Tone]> = {
  owner: ["Owner", "accent"],
  paired: ["Paired", "good"],
  allowed: ["Allowed", "good"],
  waiting: ["Waiting for approval", "wait"],
  stranger: ["May not talk", "quiet"],
};

export function RoleBadge({ role }: { role: Role }) {
  const [label, tone] = ROLES[role.kind];
  return <Badge tone={tone}>{label}</Badge>;
}
