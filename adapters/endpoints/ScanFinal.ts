/**
 * Deposits in final blocks, as several endpoints show them, for any family: what one endpoint hides another shows
 * (QUORUM-7). Only their union counts. A deposit that is not there costs a filling that ends as `gone`.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Cursor, FinalScan } from "../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { HostAnswer } from "./AskSeveral.ts"
import { notShownBy } from "./NotShown.ts"
import type { Run } from "./AskEndpoint.ts"
import type { Rotation } from "./Rotation.ts"

/**
 * Up to where all of them have come. A deposit that another answer shows, too, is there once; where they name different
 * orders, once for each, because one of the orders may be of nobody.
 */
const together = (final: Cursor, heard: ReadonlyArray<HostAnswer<FinalScan>>): FinalScan => {
  const scans = heard.map(({ answer }) => answer)
  const cursor = scans.reduce((least, scan) => scan.cursor.height < least.height ? scan.cursor : least, final)
  const shown = new Map(
    scans.flatMap(({ deposits }) => deposits).map((each) => [`${each.onchainId} ${each.depositId}`, each])
  )
  return {
    cursor,
    deposits: [...shown.values()],
    notShownBy: notShownBy(heard.map(({ answer: { cursor: { height }, deposits }, host }) => ({
      host,
      upTo: height,
      items: new Map(deposits.map(({ block, onchainId }) => [onchainId, block.height]))
    })))
  }
}

/**
 * `scanOne`: one endpoint's deposits after the cursor, up to the final block at most. It must fail as behind while the
 * endpoint has another block at that height, or none.
 */
export const scanFinal = <Client>(
  rpc: Rotation<Client>,
  chain: Chain,
  final: Cursor,
  scanOne: Run<Client, FinalScan>
): Effect.Effect<FinalScan, ChainUnavailable> =>
  rpc.isAlone(chain)
    ? Effect.succeed({ cursor: final, deposits: [] })
    : Effect.map(rpc.several(chain, "deposits in final blocks", scanOne), (scans) => together(final, scans))
