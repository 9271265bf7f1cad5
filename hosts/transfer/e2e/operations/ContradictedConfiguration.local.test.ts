/**
 * A host whose chain contradicts its configuration. It quotes and fills nothing with it, its answers name the entry,
 * and deposits are kept for their order or refunded. Here the chain changes, like a proxy that is upgraded: the host
 * cannot tell the difference.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, nativeRequest, postQuote, quote, sendDeposit, status } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { balanceOf, eventually } from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Network extends fixtureOf<Network>()("test/Network", startNetwork) {}

const DEPOSITORY = addressOf("Depository")
const RECIPIENT = "0x000000000000000000000000000000000000cf90"

const Ready = Schema.fromJsonString(Schema.Struct({
  status: Schema.String,
  chains: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      serves: Schema.Boolean,
      configuration: Schema.String,
      problems: Schema.Array(Schema.String)
    })
  )
}))
const readiness = (url: string) =>
  Effect.map(get(`${url}/ready`), ({ status: code, text }) => ({ code, ...Schema.decodeUnknownSync(Ready)(text) }))

layer(Network.layer, { excludeTestServices: true })("a contradicted configuration", (it) => {
  it.effect("with wrong decimals takes only that currency out of service", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, users: [user = "0x"] }, environment, startInstance } = yield* Network
      const code = yield* alpha.request("eth_getCode", [USDC.address, "latest"])
      yield* alpha.request("anvil_setCode", [
        USDC.address,
        yield* alpha.request("eth_getCode", [addressOf("TestDAI"), "latest"])
      ])
      const { output, stop, url } = yield* startInstance()
      const native = nativeRequest(privateKeyToAccount(user).address, alpha, beta, 10n ** 16n)
      for (const [from, to] of [["origin", "destination"], ["destination", "origin"]] as const) {
        const refused = yield* postQuote(url, {
          ...native,
          [`${from}ChainId`]: alpha.chainId,
          [`${to}ChainId`]: beta.chainId,
          [`${from}Currency`]: USDC.address,
          amount: "25000000"
        })
        assert.strictEqual(refused.status, 400, refused.text)
        assert.include(refused.text, "CHAIN_DISABLED")
        assert.include(
          refused.text,
          `chain alpha: currencies.USDC.decimals (${USDC.address.toLowerCase()}): configured 6, found 18`
        )
      }
      assert.strictEqual((yield* postQuote(url, native)).status, 200)
      const { chains, code: http } = yield* readiness(url)
      assert.deepStrictEqual([http, ...chains.map(({ configuration, id, serves }) => [id, serves, configuration])], [
        200,
        ["alpha", true, "contradicted"],
        ["beta", true, "confirmed"]
      ])
      assert.include(output(), "out of service: chain alpha: currencies.USDC.decimals")
      assert.include((yield* get(`${url}/metrics`)).text, "what=\"configuration-contradicted\"")
      yield* stop
      const doctor = yield* runOperation("doctor", environment)
      assert.strictEqual(doctor.code, 1, `${doctor.out}${doctor.error}`)
      assert.match(doctor.out, /alpha +currencies\.USDC\.decimals +0x\w+ +6 +18 +DIFFERS/)
      yield* alpha.request("anvil_setCode", [USDC.address, code])
    })))

  it.effect("with a depository without code stops the chain's quotes, and fills of earlier deposits wait until it is corrected", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, users: [, user = "0x"] }, startInstance } = yield* Network
      const body = nativeRequest(privateKeyToAccount(user).address, alpha, beta, 10n ** 16n, { recipient: RECIPIENT })
      const first = yield* startInstance()
      const quoted = yield* quote(first.url, body)
      yield* first.stop
      yield* sendDeposit(alpha, user, quoted)
      const code = yield* beta.request("eth_getCode", [DEPOSITORY, "latest"])
      yield* beta.request("anvil_setCode", [DEPOSITORY, "0x"])

      const second = yield* startInstance()
      for (const asked of [body, { ...body, originChainId: beta.chainId, destinationChainId: alpha.chainId }]) {
        const refused = yield* postQuote(second.url, asked)
        assert.strictEqual(refused.status, 400, refused.text)
        assert.include(
          refused.text,
          `chain beta: depository (${DEPOSITORY.toLowerCase()}): configured code, found no code`
        )
      }
      yield* eventually("the deposit waits", status(second.url, quoted), (answer) => answer.status === "delayed")
      const { chains, code: http } = yield* readiness(second.url)
      assert.deepStrictEqual([http, ...chains.map(({ configuration, id, serves }) => [id, serves, configuration])], [
        200,
        ["alpha", true, "confirmed"],
        ["beta", false, "contradicted"]
      ])
      assert.strictEqual(yield* balanceOf(beta, RECIPIENT), 0n)
      yield* second.stop

      yield* beta.request("anvil_setCode", [DEPOSITORY, code])
      const third = yield* startInstance()
      assert.strictEqual((yield* ended(third.url, quoted)).status, "success")
      assert.isAbove(Number(yield* balanceOf(beta, RECIPIENT)), 0)
    })))

  it.effect("of every chain makes the service not ready, and says why", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta }, environment } = yield* Network
      const { url } = yield* spawnHost("transfer", { ...environment, ALPHA_RPC_URL: beta.url, BETA_RPC_URL: alpha.url })
      const seen = yield* eventually(
        "it says why",
        Effect.catchDefect(readiness(url), () => Effect.succeed(undefined)),
        (ready) => ready?.chains.every(({ configuration }) => configuration === "contradicted") === true
      )
      assert.strictEqual(seen?.code, 503)
      assert.include(
        seen?.chains.flatMap(({ problems }) => problems).join(),
        `chain alpha: chainId: configured ${alpha.chainId}, found ${beta.chainId}`
      )
    })))
})
