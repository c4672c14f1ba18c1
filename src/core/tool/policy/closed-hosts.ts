// Lists hosts that nothing may call on behalf of a tenant or a model [T21, N5]: names of private networks, cloud metadata services, and
// this instance's own zone. Each entry names its source. The address guard checks the ranges of private addresses (from ipaddr.js). A name
// includes its subdomains.

export interface Closed {
  readonly place: string
  readonly source: string
}

/** Names that no public resolver answers, and names that networks use inside. */
const INSIDE: readonly Closed[] = [
  ...["localhost", "test", "invalid"].map((place) => ({ place, source: "RFC 6761" })),
  { place: "local", source: "RFC 6762" },
  { place: "onion", source: "RFC 7686" },
  { place: "alt", source: "RFC 9476" },
  { place: "arpa", source: "RFC 3172; home.arpa is RFC 8375, ipv4only.arpa RFC 8880" },
  { place: "internal", source: "ICANN resolution 2024.07.29.06; AWS, Google, Azure, Fly, Railway, Docker" },
  ...["corp", "home", "mail"].map((place) => ({ place, source: "ICANN resolution 2018.02.04.12: name collisions" })),
  ...["lan", "intranet", "private"].map((place) => ({ place, source: "RFC 6762, appendix G" })),
  ...["localdomain", "localnet", "domain", "workgroup"].map((place) => ({ place, source: "defaults of resolvers, routers and Windows" })),
  ...["svc", "cluster", "pod", "default"].map((place) => ({
    place,
    source: "Kubernetes, DNS for Services and Pods: SERVICE.NAMESPACE.svc.cluster.local and its search paths",
  })),
  { place: "consul", source: "HashiCorp Consul, DNS interface" },
  { place: "mesos", source: "Mesos-DNS" },
  ...["docker", "podman"].map((place) => ({ place, source: "DNS of container networks" })),
  ...["openstacklocal", "novalocal"].map((place) => ({ place, source: "OpenStack, dhcp_domain" })),
]

/** Public names whose answer is a metadata service when it is asked from inside that cloud. Names under `internal` are above. */
const METADATA_NAMES: readonly Closed[] = [
  { place: "metadata.tencentyun.com", source: "Tencent Cloud, instance metadata" },
  { place: "api.metadata.cloud.ibm.com", source: "IBM Cloud VPC, instance metadata" },
  { place: "metadata.platformequinix.com", source: "Equinix Metal, metadata" },
  { place: "metadata.packet.net", source: "Packet, metadata" },
]

/** Metadata services by address. Those in a private range are also refused by their range. */
export const METADATA_ADDRESSES: readonly Closed[] = [
  { place: "169.254.169.254/32", source: "AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack, IBM: instance metadata" },
  { place: "169.254.170.2/32", source: "AWS ECS, task credentials" },
  { place: "169.254.170.23/32", source: "AWS EKS, pod identity" },
  { place: "169.254.0.23/32", source: "Tencent Cloud, instance metadata" },
  { place: "169.254.42.42/32", source: "Scaleway, instance metadata" },
  { place: "168.63.129.16/32", source: "Azure, WireServer: a public address that every virtual machine reaches" },
  { place: "100.100.100.200/32", source: "Alibaba Cloud, instance metadata" },
  { place: "192.0.0.192/32", source: "Oracle Cloud, classic metadata" },
  { place: "161.26.0.0/16", source: "IBM Cloud, infrastructure services: public addresses that only its networks reach" },
  { place: "166.8.0.0/14", source: "IBM Cloud, service endpoints: public addresses that only its networks reach" },
  { place: "fd00:ec2::254/128", source: "AWS, instance metadata over IPv6" },
  { place: "fd00:ec2::23/128", source: "AWS EKS, pod identity over IPv6" },
  { place: "fd20:ce::254/128", source: "Google, instance metadata over IPv6" },
  { place: "fd00:c1::a9fe:a9fe/128", source: "Oracle Cloud, instance metadata over IPv6" },
  { place: "fe80::a9fe:a9fe/128", source: "OpenStack, instance metadata over IPv6" },
]

/** Public names that resolve to private addresses by design. Never complete: docs/decisions/0014. */
const REBINDERS: readonly Closed[] = [
  ...["nip.io", "sslip.io", "xip.io", "1u.ms", "rbndr.us"].map((place) => ({ place, source: "the address is in the name" })),
  ...["localtest.me", "lvh.me", "vcap.me", "lacolhost.com"].map((place) => ({ place, source: "always 127.0.0.1" })),
]

/** Where the account's own Workers are, this one among them. */
const WORKERS: Closed = { place: "workers.dev", source: "Cloudflare Workers, routes" }

/** `own`: hosts of this instance and its neighbors. `open`: hosts that the operator allows although they are own or on workers.dev. */
export interface Zones {
  readonly own?: readonly string[]
  readonly open?: readonly string[]
}

/** The reason why the host must not be called; undefined: its name is allowed. The host comes from a parsed URL and is not an IP address. */
export function closedName(host: string, zones: Zones = {}): string | undefined {
  // `localhost.` and `localhost` are the same name.
  const name = host.toLowerCase().replace(/\.+$/, "")
  if (name === "") return "the URL names no host"
  const within = (places: readonly Closed[]): boolean => places.some(({ place }) => isWithin(name, place))
  if (within(INSIDE)) return `${host} is a name of the private network`
  if (!name.includes(".")) return `${host} is a name of the private network: public names have a dot`
  if (!TOP.test(name)) return `${host} is a name of the private network: no public name ends like this`
  if (within(METADATA_NAMES)) return `${host} is the metadata service of a cloud`
  if (within(REBINDERS)) return `${host} leads to private addresses`
  return zoneFault(name, zones)
}

/**
 * The reason why the host belongs, or may belong, to this instance; it can be an IP address. The most specific name wins: opening
 * workers.dev does not open the instance itself.
 */
export function zoneFault(host: string, { own = [], open = [] }: Zones): string | undefined {
  const name = host.toLowerCase().replace(/\.+$/, "")
  const opened = open.filter((place) => isWithin(name, place))
  const closed = [...own, WORKERS.place].find((place) => isWithin(name, place) && !opened.some((one) => isWithin(one, place)))
  if (closed === undefined) return undefined
  const what = closed === WORKERS.place ? "is on workers.dev, where this instance's own Workers are" : "belongs to this instance's own zone"
  return `${host} ${what}: only a host that the operator names in the variable OPEN_HOSTS may be called there`
}

/** A top-level domain has only letters, or is an encoded one. */
const TOP = /\.(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

const isWithin = (name: string, place: string): boolean => name === place || name.endsWith(`.${place}`)
