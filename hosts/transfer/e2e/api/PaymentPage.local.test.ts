/**
 * The request page of deposit addresses on each family whose wallets read payment URIs, in a headless Chromium: the code
 * that a phone scans and the link for the phone itself hold the URI, to the unit.
 *
 * CAUSEWAY_PICTURES=<folder> keeps screenshots for people to look at.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { requireChromium } from "../../../../scripts/testing/Capability.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { bitcoinChainId } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { qrCode } from "../../page/QrCode.ts"
import { addressFor } from "../../testing/Addressed.ts"
import { bitcoinAddressFor, newBitcoinAddress } from "../../testing/BitcoinAddressed.ts"
import { BTC, bitcoinOver } from "../../testing/BitcoinNetwork.ts"
import { phone, startBrowser } from "../../testing/Browser.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { walkByKeyboard } from "../../testing/Keyboard.ts"
import { assertQuiet, lookAt } from "../../testing/LookAt.ts"
import { solanaAddressFor } from "../../testing/SolanaAddressed.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { ETH, USDC } from "../../testing/Tokens.ts"

const chromium = requireChromium()

class Running extends fixtureOf<Running>()(
  "test/PaymentPage",
  Effect.gen(function*() {
    const solana = yield* startSolanaNetwork()
    const fixture = yield* startFixture(bitcoinOver(solana))
    return { ...fixture, solanaUsers: solana.solanaUsers, browser: yield* startBrowser(chromium ?? "") }
  })
) {}

describe.skipIf(chromium === undefined)("the page of a deposit address", () => {
  layer(Running.layer, { excludeTestServices: true })((it) => {
    /** Looks at the page, and compares both ways to the wallet with the URI. */
    const assertPays = Effect.fnUntraced(function*(name: string, requestId: string, uri: string) {
      const { browser, url } = yield* Running
      const tab = yield* browser.open(`${url}/requests/${requestId}`, phone)
      yield* tab.until("document.querySelector('#payment svg.qr path') !== null")
      assert.include(
        qrCode(uri, "").text,
        ` d="${String(yield* tab.evaluate("document.querySelector('.qr path').getAttribute('d')"))}"`
      )
      assert.strictEqual(yield* tab.evaluate("document.querySelector('#payment a').href"), uri)
      yield* lookAt(tab, `paying-${name}`)
      yield* walkByKeyboard(tab)
      assertQuiet(tab, url)
      yield* tab.close
    })

    const toBeta = (changes: object) =>
      Effect.map(Running, ({ chains, user }) => ({
        destinationChainId: chains.beta.chainId,
        destinationCurrency: ETH.address,
        recipient: user(0),
        tradeType: "EXACT_INPUT",
        ...changes
      }))

    it.effect("on an EVM chain names the call of the token and the chain (EIP-681)", () =>
      Effect.gen(function*() {
        const { chains: { alpha }, url, user } = yield* Running
        const { depositAddress, requestId } = yield* addressFor(
          url,
          yield* toBeta({
            user: user(0),
            refundTo: user(0),
            originChainId: alpha.chainId,
            originCurrency: USDC.address,
            amount: "25000001"
          })
        )
        yield* assertPays(
          "evm-token",
          requestId,
          `ethereum:${USDC.address.toLowerCase()}@${alpha.chainId}/transfer?address=${depositAddress.toLowerCase()}&uint256=25000001`
        )
      }))

    it.effect("on Solana names the amount, and the mint of a token (Solana Pay)", () =>
      Effect.gen(function*() {
        const { solanaUsers: [payer], url } = yield* Running
        const user = payer?.address ?? assert.fail("no user")
        for (
          const [name, originCurrency, amount, query] of [
            ["sol", SOL, "123456789", "amount=0.123456789"],
            ["spl", usdc.address, "25000001", `amount=25.000001&spl-token=${usdc.address}`]
          ] as const
        ) {
          const { depositAddress, requestId } = yield* solanaAddressFor(
            url,
            yield* toBeta({ user, refundTo: user, originChainId: solanaChainId, originCurrency, amount })
          )
          yield* assertPays(name, requestId, `solana:${depositAddress}?${query}`)
        }
      }))

    it.effect("on Bitcoin names the amount in whole coins (BIP-21)", () =>
      Effect.gen(function*() {
        const { url } = yield* Running
        const user = newBitcoinAddress()
        const { depositAddress, requestId } = yield* bitcoinAddressFor(
          url,
          yield* toBeta({
            user,
            refundTo: user,
            originChainId: bitcoinChainId,
            originCurrency: BTC,
            amount: "1234567"
          })
        )
        yield* assertPays("bitcoin", requestId, `bitcoin:${depositAddress}?amount=0.01234567`)
      }))
  })
})
