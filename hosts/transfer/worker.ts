/** `npm run worker`: the worker from environment variables alone (docs/variables.md). */
import { families } from "../families.ts"
import { variablesOf } from "./config/Environment.ts"
import { layerWorkerHost } from "./TransferHost.ts"
import { run } from "../http/RunHost.ts"

run({ name: "worker", layer: layerWorkerHost, variables: variablesOf(families) })
