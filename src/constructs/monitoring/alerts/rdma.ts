/**
 * Congestion and faults of RDMA networks, as the cards count them.
 */
import { type AlertRecipe } from './recipe';

const WAIT = 'rate(node_infiniband_port_transmit_wait_total[5m])';
const PORT = '{{ $labels.device }} port {{ $labels.port }} of {{ $labels.instance }}';

/** Ticks a second below which waiting is noise. */
const LEAST_WAIT = '1e6';

export const RDMA_ALERTS = {
  // How long a tick is differs from card to card, so a port is compared with itself.
  InfinibandCongested: {
    group: 'rdma',
    severity: 'warning',
    for: 15,
    threshold: { value: 4, unit: "times the port's own average of the last day" },
    expr: (_, threshold) => `(${WAIT} > ${threshold} * avg_over_time(${WAIT}[1d:5m])) and (${WAIT} > ${LEAST_WAIT})`,
    summary: `${PORT} waits for credits far longer than usual`,
    description:
      'InfiniBand does not drop: a port with data to send waits for the other end. Look for a slow receiver, or for too many jobs on one spine.',
  },
  RoceCongested: {
    group: 'rdma',
    severity: 'warning',
    for: 10,
    threshold: { value: 1, unit: 'retries a second' },
    expr: (_, threshold) =>
      [
        '(rate(node_infiniband_np_ecn_marked_roce_packets_received_total[5m]) > 0)',
        '(rate(node_infiniband_rp_cnp_packets_handled_total[5m]) > 0)',
        '(rate(node_infiniband_packet_sequence_errors_total[5m]) + rate(node_infiniband_local_ack_timeout_errors_total[5m]) ' +
          `> ${threshold})`,
      ].join(' and '),
    summary: `${PORT} is congested, and packets are lost`,
    description:
      'Marks and slow-downs alone are congestion control at work. With retries, buffers overflow: PFC or ECN of the switches does not match the cards, whose settings a NicConfigurationTemplate has.',
  },
  RdmaLinkDown: {
    group: 'rdma',
    severity: 'critical',
    keepFiringFor: 15,
    expr: () => 'increase(node_infiniband_link_downed_total[10m]) > 0',
    summary: `The link of ${PORT} went down`,
    description: 'Cable, transceiver or switch port. Collectives over it hang until their timeout.',
  },
  RdmaErrors: {
    group: 'rdma',
    severity: 'warning',
    for: 10,
    expr: () => 'increase(node_infiniband_port_errors_received_total[10m]) > 0',
    summary: `${PORT} receives broken packets`,
    description: 'There is no healthy number of them: a cable, firmware, or an MTU that differs.',
  },
} as const satisfies Readonly<Record<string, AlertRecipe>>;
