/** The explorer of a process that pays or quotes on Bitcoin. What it says is a hint, which nodes check. */
import { Context, Layer } from "effect"
import { openExplorer } from "./Explorer.ts"
import type { Explorer, ExplorerSettings } from "./Explorer.ts"

export class BitcoinExplorer
  extends Context.Service<BitcoinExplorer, Explorer>()("causeway/adapters/bitcoin/BitcoinExplorer")
{}

export const layer = (settings: ExplorerSettings) => Layer.effect(BitcoinExplorer, openExplorer(settings))
