#include "harness/timing.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <numeric>
#include <ostream>

double median_of(std::vector<double> values)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double mean_of(const std::vector<double> &values)
{
    return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / values.size();
}

double middle_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const size_t cut = (values.size() + 1) / 4; /* of three runs the median is left */
    return mean_of({values.begin() + cut, values.end() - cut});
}

static std::vector<double> all_of(const std::vector<std::vector<double>> &places)
{
    std::vector<double> all;
    for (const auto &runs : places)
        all.insert(all.end(), runs.begin(), runs.end());
    return all;
}

static std::vector<double> middles_of(const std::vector<std::vector<double>> &places)
{
    std::vector<double> middles;
    for (const auto &runs : places)
        middles.push_back(middle_of(runs));
    return middles;
}

double Timing::minimum() const
{
    const std::vector<double> all = all_of(places);
    return *std::min_element(all.begin(), all.end());
}

double Timing::median() const
{
    return median_of(all_of(places));
}

double Timing::value() const
{
    return mean_of(middles_of(places));
}

double Timing::spread_percent() const
{
    std::vector<double> sorted = all_of(places);
    std::sort(sorted.begin(), sorted.end());
    const size_t cut = sorted.size() / 10;
    return 100 * (sorted[sorted.size() - 1 - cut] - sorted[cut]) / median();
}

double Timing::places_percent() const
{
    const std::vector<double> middles = middles_of(places);
    const auto range = std::minmax_element(middles.begin(), middles.end());
    return 100 * (*range.second - *range.first) / value();
}

double Timing::error_percent() const
{
    const std::vector<double> middles = middles_of(places);
    const double n = middles.size(), mean = mean_of(middles);
    double squares = 0;
    for (const double m : middles)
        squares += (m - mean) * (m - mean);
    return n < 2 ? 100 : 100 * std::sqrt(squares / (n - 1) / n) / mean;
}

void Timing::join(const Timing &other)
{
    if (places.empty()) {
        *this = other;
        return;
    }
    const double n = places.size(), m = other.places.size();
    launch_us = (n * launch_us + m * other.launch_us) / (n + m);
    khz = (n * khz + m * other.khz) / (n + m);
    event_us = std::min(event_us, other.event_us);
    again += other.again;
    unsteady |= other.unsteady;
    places.insert(places.end(), other.places.begin(), other.places.end());
}

void Timing::write(std::ostream &to) const
{
    to.precision(17);
    to << cold << ' ' << chain << ' ' << launches << ' ' << dram_bytes << ' ' << launch_us << ' ' << event_us << ' ';
    to << khz << ' ' << again << ' ' << unsteady << ' ' << places.size();
    for (const auto &runs : places) {
        to << ' ' << runs.size();
        for (const double cycles : runs)
            to << ' ' << cycles;
    }
}

bool Timing::read(std::istream &from)
{
    size_t n = 0;
    from >> cold >> chain >> launches >> dram_bytes >> launch_us >> event_us >> khz >> again >> unsteady >> n;
    for (size_t i = 0; from && i < n; i++) {
        size_t runs = 0;
        from >> runs;
        places.emplace_back();
        for (double cycles; places.back().size() < runs && from >> cycles;)
            places.back().push_back(cycles);
    }
    return !from.fail();
}
