/** `npm run join`: joins the modules of the hosts, so that they start in half the time, until a source changes. */
import { join } from "node:path"
import { joinHosts } from "./join/JoinHosts.ts"

await joinHosts(join(import.meta.dirname, ".."))
