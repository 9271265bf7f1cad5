/**
 * `causeway-kit/hosts/transfer`: the transfer service as layers, for a process of your own.
 *
 * `Layer.launch(layerTransferHost)` is `npm run transfer`. Its configuration is the environment (docs/variables.md),
 * read through Effect's `ConfigProvider`, so that an embedding service can provide it from another source. Not for
 * single use cases: those are `causeway-kit/services`, on any layers of the ports.
 */
export { TransferApi } from "./endpoints/TransferApi.ts"
export { ConfigsFolder } from "../configuration/ConfigsFolder.ts"
export { Families, families } from "../families.ts"
export { type Environment, readEnvironment, variables, variablesOf } from "./config/Environment.ts"
export { localSigners, type ServiceKeys, Signing } from "./config/Signing.ts"
export { layerTransferHost, layerWorkerHost } from "./TransferHost.ts"
