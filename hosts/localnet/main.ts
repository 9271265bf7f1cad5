/** `npm start`: the local network with the transfer service and the oracle (README, docs). */
import { layerOracleHost } from "../oracle/OracleHost.ts"
import { buildWhenStale } from "../transfer/dashboard/Build.ts"
import { layerTransferHost } from "../transfer/TransferHost.ts"
import { launch } from "./run/Launch.ts"

// Without its page everything else still runs.
await buildWhenStale().catch((cause: unknown) =>
  process.stderr.write(`the dashboard was not built: ${String(cause)}\n`)
)
await launch({ transfer: layerTransferHost, oracle: layerOracleHost })
