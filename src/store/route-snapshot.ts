export { withRoutes } from "./sqlite/route-snapshot.js";
