/** `npm run oracle`: the attestation oracle, configured by environment variables alone (docs/variables.md). */
import { families } from "../families.ts"
import { oracleVariablesOf } from "./config/Environment.ts"
import { run } from "../http/RunHost.ts"
import { layerOracleHost } from "./OracleHost.ts"

run({ name: "oracle", layer: layerOracleHost, variables: oracleVariablesOf(families) })
