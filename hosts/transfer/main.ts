/** `npm run transfer`: the transfer service from environment variables alone (docs/variables.md). */
import { families } from "../families.ts"
import { variablesOf } from "./config/Environment.ts"
import { layerTransferHost } from "./TransferHost.ts"
import { run } from "../http/RunHost.ts"

run({ name: "transfer", layer: layerTransferHost, variables: variablesOf(families) })
