/** `npm start`: the local network with the transfer service and the oracle (README, docs). */
import { layerOracleHost } from "../oracle/OracleHost.ts"
import { layerTransferHost } from "../transfer/TransferHost.ts"
import { launch } from "./run/Launch.ts"

await launch({ transfer: layerTransferHost, oracle: layerOracleHost })
