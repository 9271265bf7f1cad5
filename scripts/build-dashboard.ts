/** `npm run dashboard`: builds the dashboard that `npm run transfer` serves from a checkout, if it is stale. */
import { buildWhenStale } from "../hosts/transfer/dashboard/Build.ts"

await buildWhenStale()
