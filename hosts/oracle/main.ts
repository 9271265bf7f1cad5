/** `npm run oracle`: the attestation oracle from environment variables alone (docs/variables.md). */
import { oracleVariables } from "./config/Environment.ts"
import { run } from "../http/RunHost.ts"
import { layerOracleHost } from "./OracleHost.ts"

run("oracle", layerOracleHost, oracleVariables)
