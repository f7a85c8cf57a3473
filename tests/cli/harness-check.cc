/* What the harness of validate/measure does without a GPU: values of runs, and processes. For tests/cli/validate.sh; prints what is wrong. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "harness/processes.h"
#include "harness/timing.h"

static void want(const char *what, double got, double wanted)
{
    if (std::fabs(got - wanted) > 1e-9) printf("%s is %.12g, want %.12g;", what, got, wanted);
}

/* Places of 3, 9 and 2 runs: their middles are 10, 20 (of 18 to 22, the outer four are left out) and 33. */
static Timing example()
{
    Timing t;
    t.places = {{10, 90, 1}, {1, 2, 18, 19, 20, 21, 22, 300, 400}, {32, 34}};
    t.cold = 100;
    t.khz = 1000;
    t.event_us = 3;
    t.launch_us = 2;
    return t;
}

static void values()
{
    const Timing t = example();
    want("the value", t.value(), 21); /* (10 + 20 + 33) / 3 */
    want("the minimum", t.minimum(), 1);
    want("places apart", t.places_percent(), 100 * 23.0 / 21);
    want("the error", t.error_percent(), 100 * std::sqrt((121 + 1 + 144) / 2.0 / 3) / 21);
    Timing one;
    one.places = {{5, 5}};
    want("the error of one place", one.error_percent(), 100);
}

static void joined()
{
    Timing all, other = example();
    all.join(example());
    want("the first one's value", all.value(), 21);
    other.places = {{41}};
    other.khz = 2000;
    other.event_us = 1;
    all.join(other);
    want("four places", all.value(), 26); /* (10 + 20 + 33 + 41) / 4 */
    want("the clock", all.khz, 1250);     /* three at 1000, one at 2000 */
    want("the shortest", all.event_us, 1);
    want("the cold one", all.cold, 100);
}

static void in_text()
{
    std::stringstream text;
    Timing t = example(), back;
    t.places[0][0] = 1.0 / 3;
    t.write(text);
    text << " reason\n";
    std::string rest;
    if (!back.read(text) || !std::getline(text, rest) || rest != " reason") printf("text is not read back;");
    if (back.places != t.places || back.khz != t.khz) printf("text has other numbers;");
    std::stringstream cut("1 0 1 0 2 3 1000 0 0 2 3 10 90");
    if (Timing().read(cut)) printf("half a text is read;");
}

static void processes()
{
    std::string all;
    const std::string much(300000, 'x'); /* more than a pipe holds */
    const auto take = [&](int process, const std::string &text) { all += std::to_string(process) + ":" + std::to_string(text.size()) + " "; };
    const int good = in_processes(2, [&](int process, std::string *text) { return *text = process ? "ab" : much, 0; }, take);
    if (good != 0 || all != "0:300000 1:2 ") printf("two processes: %d, %s;", good, all.c_str());
    all = "";
    const int bad = in_processes(3, [](int process, std::string *) { return process == 1 ? 77 : 0; }, take);
    if (bad != 77 || all != "0:0 ") printf("one that fails: %d, %s;", bad, all.c_str());
    const int killed = in_processes(1, [](int, std::string *) -> int { abort(); }, take);
    if (killed != 2 || all != "0:0 ") printf("one that is killed: %d, %s;", killed, all.c_str());
}

int main()
{
    values();
    joined();
    in_text();
    processes();
    return 0;
}
