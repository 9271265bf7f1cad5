/** The folder of the environments' files: `configs/` of this repository, unless a host is given another one. */
import { Context } from "effect"

/**
 * Ends with a slash. Example: `Layer.provide(layerOracleHost, Layer.succeed(ConfigsFolder,
 * pathToFileURL("/etc/causeway/")))`.
 */
export const ConfigsFolder = Context.Reference<URL>("causeway/hosts/ConfigsFolder", {
  defaultValue: () => new URL("../../configs/", import.meta.url)
})
