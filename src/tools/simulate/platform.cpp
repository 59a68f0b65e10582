/* platform.cpp - the simulated cluster of scripts/simulate, and what its messages cost

   SimGrid loads this library as its platform. A file of XML could not tell messages within a
   host from the others, and their costs differ by a factor of two.

   A message costs its sender and its receiver time, and takes a latency and a transfer. The
   ranks of a host share the links of the host to the network. A link sends one message after
   the other. A message gets its link when its sender begins it, and gets the one that will be
   free first. A rank that finds all links busy waits for its turn, and other ranks work
   meanwhile. A solver that shares the links among a million messages would need hours.

   The environment has what scripts/simulate asks for: SIMULATE_HOSTS, SIMULATE_CORES, and the
   factors SIMULATE_LATENCY, SIMULATE_MESSAGE, SIMULATE_BANDWIDTH, SIMULATE_COPY. */
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <smpi/smpi.h>

namespace s4u = simgrid::s4u;

namespace
{

/* The links of a host to the network: the nodes of the paper have two. */
constexpr int LINKS = 2;

/* One of these links, and the memory of a host, in bytes per second. */
constexpr double NETWORK = 12.5e9, MEMORY = 18.35e9;

/* The latency to which SimGrid applies the factors of smpi/lat-factor, in seconds. */
constexpr double LATENCY = 1e-7;

/* To copy a segment and a byte, and to look at what a rank has announced, in seconds:
   docs/reference.md, "SimGrid". */
constexpr double COPY_SEGMENT = 2e-9, COPY_BYTE = 1e-10, LOOK_PEER = 5.5e-8;

/* A message of `from` bytes or more costs its base, and its slope for each byte, in seconds. */
struct step {
    double from, base, slope;
};

using costs = std::vector<step>;

/* What a message costs its sender, by MPI_Isend and by MPI_Send, and its receiver. */
struct side {
    costs isend, send, receive;
};

/* Between hosts: github.com/Ezibenroc/calibration_analysis, dahu/smpi_hpl/hpl_simulation.ipynb.
   Up to 8132 bytes a message takes half of the round trip that was measured there (2.994 us,
   and 0.492 ns for each byte): the receiver has what the sender, the latency and the transfer
   leave. */
const side between = {
    {{0, 6.931229521083401e-07, 7.051204536228214e-11},
     {8133, 3.601990790153244e-07, 1.2449128895712037e-10},
     {15831, 2.97701688103096e-06, 4.1302612649640425e-11},
     {33956, 3.133466154066955e-06, 3.293458765281899e-11},
     {64000, 6.939993663604069e-07, 0}},
    {{0, 2.965491847282898e-07, 9.63619592297199e-11},
     {8133, 4.117386759387727e-06, 9.998650637323814e-11},
     {15831, 3.901910334928982e-06, 1.1003492469181915e-10},
     {33956, 8.556208528368661e-06, 1.2636592924112397e-10},
     {64000, 0, 0}},
    {{0, 1.079e-06, 6.96e-11},
     {8133, 1.0616877366305338e-06, 1.0399801951417905e-10},
     {15831, 1.1989168715510673e-06, 9.880880432093221e-11},
     {33956, 1.3028804423006338e-06, 1.0742263180618875e-10},
     {64000, 0, 0}},
};

/* Within a host: dahu/mpi/local_calibration.ipynb of the same repository, with half of the
   round trip in the same way (1.371 us, and 0.436 ns for each byte, up to 7903 bytes). */
const side within = {
    {{0, 5.61e-07, 8.332e-11},
     {7904, 6.55e-07, 8.706e-11},
     {15831, 4.94e-07, 4.9e-13},
     {31183, 6.04e-07, 0},
     {64000, 5.02e-07, 0}},
    {{0, 2.32e-07, 8.219e-11},
     {7904, 3.78e-07, 8.343e-11},
     {15831, 2.663e-06, 1.253e-11},
     {31183, 1.733e-06, 4.329e-11},
     {64000, 0, 0}},
    {{0, 4.54e-07, 8.1e-11},
     {7904, 1.048e-06, 4.4e-12},
     {15831, 1.48e-06, 0},
     {31183, 1.2e-06, 0},
     {64000, 0, 0}},
};

double number(const char *name)
{
    const char *text = std::getenv(name);

    return text == nullptr ? 1 : std::atof(text);
}

double cost_of(const costs &table, double bytes)
{
    const step *last = &table.front();

    for (const step &each : table) {
        if (bytes >= each.from)
            last = &each;
    }
    return last->base + last->slope * bytes;
}

/* When the links of each host have sent what was begun so far, in simulated seconds. */
std::map<const s4u::Host *, std::array<double, LINKS>> links_are_free;

/* Returns how long a message waits for a link of its host, if it is ready at this time, and
   takes the link for so many seconds. */
double wait_for_link(const s4u::Host *from, double ready, double seconds)
{
    auto &links = links_are_free[from];
    double &is_free = *std::min_element(links.begin(), links.end());
    const double begin = std::max(ready, is_free);

    is_free = begin + seconds;
    return begin - ready;
}

/* Bytes per second. */
double network_bandwidth()
{
    return NETWORK * number("SIMULATE_BANDWIDTH");
}

/* What a message costs its sender. */
void charge_sender(SmpiOperation operation, costs side::*kind)
{
    const double factor = number("SIMULATE_MESSAGE"), bandwidth = network_bandwidth();

    smpi_register_op_cost_callback(
        operation, [kind, factor, bandwidth](size_t size, s4u::Host *from, s4u::Host *to) {
            const double bytes = static_cast<double>(size);
            const double own = factor * cost_of((from == to ? within : between).*kind, bytes);

            if (from == to)
                return own;
            return own + wait_for_link(from, s4u::Engine::get_clock() + own, bytes / bandwidth);
        });
}

/* What a message costs its receiver. */
void charge_receiver()
{
    const double factor = number("SIMULATE_MESSAGE");

    smpi_register_op_cost_callback(
        SmpiOperation::RECV, [factor](size_t size, s4u::Host *from, s4u::Host *to) {
            const side &costs = from == to ? within : between;

            return factor * cost_of(costs.receive, static_cast<double>(size));
        });
}

/* SimGrid 4 has other names, and has to know the parent of a zone from the beginning. */
#if SIMGRID_VERSION >= 40000
s4u::NetZone *make_zone(const s4u::Engine &engine)
{
    return engine.get_netzone_root()->add_netzone_full("cluster");
}

s4u::Host *add_host(s4u::NetZone *cluster, const std::string &name, double speed)
{
    return cluster->add_host(name, speed);
}

s4u::Link *add_link(s4u::NetZone *cluster, const std::string &name, double bandwidth)
{
    return cluster->add_link(name, bandwidth);
}
#else
s4u::NetZone *make_zone(const s4u::Engine &)
{
    return s4u::create_full_zone("cluster");
}

s4u::Host *add_host(s4u::NetZone *cluster, const std::string &name, double speed)
{
    return cluster->create_host(name, speed);
}

s4u::Link *add_link(s4u::NetZone *cluster, const std::string &name, double bandwidth)
{
    return cluster->create_link(name, bandwidth);
}
#endif

void set_cost(s4u::Host *host, const char *name, double seconds)
{
    char text[32];

    std::snprintf(text, sizeof text, "%g", seconds);
    host->set_property(name, text);
}

s4u::Host *make_host(s4u::NetZone *cluster, int place, int cores)
{
    const double copy = number("SIMULATE_COPY");
    s4u::Host *host = add_host(cluster, "host" + std::to_string(place), 1e9);

    host->set_core_count(cores);
    set_cost(host, "copy_segment", COPY_SEGMENT * copy);
    set_cost(host, "copy_byte", COPY_BYTE * copy);
    set_cost(host, "look_peer", LOOK_PEER * copy);
    return host->seal();
}

/* This link of SimGrid is none of the links of a host. It gives a transfer its time, and keeps
   the messages of different pairs of hosts apart. */
void connect(s4u::NetZone *cluster, const s4u::Host *from, const s4u::Host *to)
{
    const bool local = from == to;
    s4u::Link *link = add_link(cluster, from->get_name() + "-" + to->get_name(),
                               local ? MEMORY : network_bandwidth());

    link->set_latency(local ? 0 : LATENCY * number("SIMULATE_LATENCY"));
    link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
    link->seal();
    cluster->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr,
                       {s4u::LinkInRoute(link)}, false);
}

} // namespace

extern "C" void load_platform(const s4u::Engine &engine);

void load_platform(const s4u::Engine &engine)
{
    const int hosts = static_cast<int>(number("SIMULATE_HOSTS"));
    const int cores = static_cast<int>(number("SIMULATE_CORES"));
    s4u::NetZone *cluster = make_zone(engine);
    std::vector<s4u::Host *> all;

    for (int i = 0; i < hosts; i++)
        all.push_back(make_host(cluster, i, cores));
    for (const s4u::Host *from : all) {
        for (const s4u::Host *to : all)
            connect(cluster, from, to);
    }
    cluster->seal();
    charge_sender(SmpiOperation::ISEND, &side::isend);
    charge_sender(SmpiOperation::SEND, &side::send);
    charge_receiver();
}
