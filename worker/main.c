/* obworker: dispatches to its commands. */
#include <stdio.h>

int main(void)
{
    puts("obworker");
    return 0;
}
