#pragma once
/* Work that is done several times, each time in a process of its own: where arrays lie and how long a launch takes is settled with the process. */
#include <functional>
#include <string>

/* Calls `work(k)` in a new process for each k from 0 to count - 1, one behind the other, and hands the text that it gives to `take(k, text)` here.
 * Ends with the first whose status is not 0, and returns that; 2 for one that was killed. CUDA must not have been used before: a process that
 * has cannot be doubled. */
int in_processes(int count, const std::function<int(int process, std::string *text)> &work,
                 const std::function<void(int process, const std::string &text)> &take);
