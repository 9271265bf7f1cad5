/**
 * One run of the local network, from the lock to the last process: started in order, announced when everything answers,
 * ended in reverse order.
 */
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { curl, hints, lines } from "./Announcement.ts"
import type { AnvilError } from "../nodes/ethereum/Anvil.ts"
import type { BitcoinError } from "../nodes/bitcoin/BitcoinError.ts"
import type { ExchangeError } from "../nodes/ExchangeError.ts"
import type { SolanaError } from "../nodes/solana/SolanaError.ts"
import type { TronError } from "../nodes/tron/TronError.ts"
import { nothingAsked, plan } from "../commands/demo/Arguments.ts"
import { run as transfer } from "../commands/demo/DemoTransfer.ts"
import * as Sponsor from "../commands/demo/Sponsor.ts"
import { describe } from "./services/Description.ts"
import type { LocalnetError } from "./LocalnetError.ts"
import type { Localnet } from "./state/LocalnetFile.ts"
import { publish } from "./state/LocalnetFile.ts"
import * as LogFile from "./state/LogFile.ts"
import * as Network from "./Network.ts"
import { open } from "./Opening.ts"
import type { Paths } from "./state/Paths.ts"
import type { Screen } from "../../cli/Screen.ts"
import * as ServiceKey from "./services/ServiceKey.ts"
import { settlementSlug } from "./Slug.ts"
import * as TransferEnvironment from "./services/TransferEnvironment.ts"
import * as TransferService from "./services/TransferService.ts"
import type { Wanted } from "./Wanted.ts"

export interface RunOptions<E> extends Wanted {
  readonly paths: Paths
  readonly screen: Screen
  /** The caller's environment, for what the network does not set itself. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly hosts: Hosts<E>
}

/** The services. Each reads its configuration from the given environment. */
export interface Hosts<E> {
  readonly transfer: Layer.Layer<never, E>
  readonly oracle: Layer.Layer<never, E>
}

/** When a transfer fails, the network should stay for inspection. So the failure is printed, and is not an error. */
const showTransfer = Effect.fnUntraced(function*(localnet: Localnet, screen: Screen) {
  yield* screen.line(screen.bold("A transfer: 0.1 ETH from alpha to beta"))
  yield* Effect.fromResult(plan(nothingAsked, localnet)).pipe(
    Effect.flatMap((demo) => transfer(demo, screen)),
    Effect.matchEffect({
      onSuccess: () => screen.line(`  ${screen.good("It is there.")}`),
      onFailure: (error) => screen.line(`  ${screen.bad("The transfer failed:")} ${error.message}`)
    })
  )
})

/** Runs until something dies, which is its error. Everything ends with the scope. */
export const run = Effect.fn("Localnet.run")(function*<E>(
  { environment, hosts, paths, screen, ...wanted }: RunOptions<E>
): Effect.fn.Return<
  never,
  LocalnetError | AnvilError | SolanaError | BitcoinError | TronError | ExchangeError,
  Scope.Scope
> {
  const { network, ports } = yield* open(paths, wanted, screen)
  const died = Network.died(network)
  const urls = { transfer: TransferEnvironment.transferUrl(ports), oracle: TransferEnvironment.oracleUrl(ports) }
  const log = yield* Layer.build(LogFile.layer(paths.logFile, (line) => process.stderr.write(`${line}\n`)))
  const given = (host: Layer.Layer<never, E>, own: Readonly<Record<string, string>>) =>
    host.pipe(Layer.provide(TransferEnvironment.layer(own, environment)), Layer.provide(Layer.succeedContext(log)))
  const transferHost = given(
    hosts.transfer,
    TransferEnvironment.environmentOf(paths, ports, network.keys, network)
  )
  yield* screen.step("transfer service", TransferService.start(transferHost, urls.transfer), () => urls.transfer)
  const mappingsKey = wanted.attested.includes("exchangeA")
    ? yield* ServiceKey.mappingsKey(paths, network.keys, urls.transfer)
    : undefined
  const oracleHost = given(
    hosts.oracle,
    TransferEnvironment.oracleEnvironmentOf(ports, network.keys, { ...network, mappingsKey })
  )
  const [sponsor] = yield* Effect.all([
    Sponsor.prepare(
      paths,
      { keys: network.keys, settlement: network.chains[settlementSlug] },
      urls.transfer,
      network.origin
    ),
    screen.step("oracle", TransferService.startOracle(oracleHost, urls.oracle), () => urls.oracle)
  ], { concurrency: "unbounded" })
  const localnet = describe(network, urls, sponsor, process.pid)
  yield* publish(paths.localnetFile, localnet)
  yield* Effect.forEach(lines(localnet, paths.localnetFile, paths.logFile, screen), screen.line, { discard: true })
  yield* screen.command(curl(localnet))
  yield* screen.line()
  yield* Effect.raceFirst(showTransfer(localnet, screen), died)
  yield* screen.line()
  yield* screen.line("Serving.")
  yield* Effect.forEach(hints(localnet, network.attested), (line) => screen.command(line), { discard: true })
  return yield* died
})
