/**
 * `causeway-kit/hosts/oracle`: the attestation oracle as a layer, to run in a process of your own.
 * `Layer.launch(layerOracleHost)` is `npm run oracle`. Its configuration comes from the environment
 * (docs/variables.md), read through effect's `ConfigProvider`.
 */
export { OracleApi } from "./endpoints/OracleApi.ts"
export { ConfigsFolder } from "../configuration/ConfigsFolder.ts"
export { Families, families } from "../families.ts"
export {
  type OracleEnvironment,
  oracleVariables,
  oracleVariablesOf,
  readOracleEnvironment
} from "./config/Environment.ts"
export { layerOracleHost } from "./OracleHost.ts"
