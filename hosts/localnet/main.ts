/** `npm start`: the local network with the transfer service and the oracle (README, docs). */
import { loadHosts } from "./LoadHosts.ts"
import { launch } from "./run/Launch.ts"

await launch(loadHosts)
